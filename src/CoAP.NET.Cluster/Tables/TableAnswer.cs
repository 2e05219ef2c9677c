using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster.Tables;

/// <summary>The answer of another node to a question about a table. Immutable.</summary>
/// <param name="Kind">What it is.</param>
internal sealed record TableAnswer(TableAnswerKind Kind)
{
    /// <summary>The answer of a node that does not own the slot any more.</summary>
    public static TableAnswer Moved { get; } = new(TableAnswerKind.Moved);

    /// <summary>The reply of the rules.</summary>
    public ReadOnlyMemory<byte> Reply { get; init; }

    /// <summary>The description of a failure, as a sentence.</summary>
    public string Why { get; init; } = "";

    public CoapTableUnavailableReason Reason { get; init; }

    public TimeSpan RetryAfter { get; init; }

    /// <summary>Whether the question may have been decided.</summary>
    public bool IsOutcomeUnknown { get; init; }

    public static TableAnswer Of(ReadOnlyMemory<byte> reply) => new(TableAnswerKind.Reply) { Reply = reply };

    public static TableAnswer Failed(string why) => new(TableAnswerKind.Failed) { Why = why };

    public static TableAnswer Of(CoapTableUnavailableException exception) => new(TableAnswerKind.Unavailable)
    {
        Why = exception.Message,
        Reason = exception.Reason,
        RetryAfter = exception.RetryAfter.GetValueOrDefault(),
        IsOutcomeUnknown = exception.IsOutcomeUnknown,
    };

    /// <summary>Returns the reply of the rules.</summary>
    /// <returns>The reply; null if the node does not own the slot, or the answer is that of a later version.</returns>
    /// <exception cref="CoapTableUnavailableException">The owner has no answer.</exception>
    /// <exception cref="CoapException">The rules failed there.</exception>
    public ReadOnlyMemory<byte>? GetReply(PendingTableRequest asking) => Kind switch
    {
        TableAnswerKind.Reply => (ReadOnlyMemory<byte>?)Reply,
        TableAnswerKind.Failed =>
            throw new CoapException($"The owner of slot {asking.Key.Slot} failed: {CoapUntrustedText.LineOf(Why)}"),
        TableAnswerKind.Unavailable => throw new CoapTableUnavailableException(Reason, RetryAfter, CoapUntrustedText.LineOf(Why))
        {
            IsOutcomeUnknown = IsOutcomeUnknown || asking.IsOutcomeUnknown,
        },
        _ => null,
    };
}

/// <summary>What a <see cref="TableAnswer"/> is. The numbers are those between nodes.</summary>
internal enum TableAnswerKind : byte
{
    Reply = 0,

    /// <summary>The node does not own the slot.</summary>
    Moved = 1,

    /// <summary>The rules failed.</summary>
    Failed = 2,

    /// <summary>The table is unavailable.</summary>
    Unavailable = 3,
}
