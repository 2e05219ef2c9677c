namespace CoAP.NET;

/// <summary>The limits of the memory that recognises duplicates (RFC 7252 section 4.5).</summary>
/// <remarks>The group <see cref="CoapLimits.Deduplication"/>. Read-only once an endpoint uses it.</remarks>
[HasSettings]
public sealed partial class CoapDeduplicationLimits
{
    internal CoapDeduplicationLimits()
    {
    }

    /// <summary>Memory for deduplication in the whole endpoint, in bytes.</summary>
    /// <remarks>
    /// Each shard (<see cref="CoapTransportOptions.Shards"/>) has an equal part, and at least 16 KiB. When full: see
    /// <see cref="MaxUnverifiedFraction"/>.
    /// </remarks>
    [NumberRange(64 * 1024, IsBytes = true)]
    public partial long Memory { get; set; } = 256L * 1024 * 1024;

    /// <summary>The part of <see cref="Memory"/> that all peers with unverified addresses share.</summary>
    [FactorRange(0, 1, IsMinExcluded = true)]
    public partial double MaxUnverifiedFraction { get; set; } = 0.25;

    /// <summary>
    /// The part of <see cref="Memory"/> that the requests of one source (<see cref="CoapQuotaSource"/>) may take, with any number
    /// of addresses and ports; always enough for one reply. GET and FETCH do not count.
    /// </summary>
    /// <remarks>
    /// For unverified addresses, it is a part of theirs. With 1 a source may take everything; with less it also has no more than its share
    /// of what is free. When full: new POST and PATCH requests of verified peers are answered 5.03; other requests are remembered for a
    /// short time only, like GET (<see cref="MaxSafeFraction"/>), and counted as <c>UnsafeDeduplicationEvictions</c> or
    /// <c>DeduplicationEvictions</c> when they are forgotten early.
    /// </remarks>
    [FactorRange(0, 1, IsMinExcluded = true)]
    public partial double MaxSourceFraction { get; set; } = 0.25;

    /// <summary>
    /// The part of <see cref="Memory"/> for GET and FETCH requests of verified peers, and again for those of other peers.
    /// </summary>
    /// <remarks>
    /// When full: the newest replace the oldest. For a duplicate of a forgotten request, the handler runs again (RFC 7252 section 4.5).
    /// Sources (<see cref="CoapQuotaSource"/>) are spread over eight parts of it, so that a fast one replaces only the requests of itself
    /// and of an eighth of the others.
    /// </remarks>
    [FactorRange(0, 1, IsMinExcluded = true)]
    public partial double MaxSafeFraction { get; set; } = 1.0 / 256;

    /// <summary>The size of the largest reply to a safe method that is kept for duplicates, in bytes.</summary>
    /// <remarks>For a duplicate of a request with a larger reply, the handler runs again (RFC 7252 section 4.5).</remarks>
    [NumberRange(0, 65_535, IsBytes = true)]
    public partial int MaxSafeReplySize { get; set; } = 128;
}
