using CoAP.NET.Guarding;

namespace CoAP.NET.Edhoc.Coap;

/// <summary>The place of a pending session. Belongs to <see cref="PendingSessions"/>, whose lock guards it.</summary>
/// <param name="id">The connection identifier of this side.</param>
/// <param name="source">Its source.</param>
/// <param name="deadline">When it ends, as a timestamp.</param>
internal sealed class PendingSession(byte[] id, CoapQuotaSource source, long deadline)
{
    private SourceUsage<PendingSession>.UsageEntry? _holding;

    public byte[] Id { get; } = id;

    public CoapQuotaSource Source { get; } = source;

    public SourceUsage<PendingSession>.UsageEntry UsageEntry => _holding ??= new SourceUsage<PendingSession>.UsageEntry(this, Source);

    public long Deadline { get; } = deadline;

    /// <summary>
    /// The role of this side and its secrets: an <see cref="EdhocResponder"/> or <see cref="EdhocInitiator"/>; null during the processing
    /// of a message, and after a failure.
    /// </summary>
    public IDisposable? Machine { get; set; }

    /// <summary>Whether the place is free again.</summary>
    public bool IsGone { get; set; }
}
