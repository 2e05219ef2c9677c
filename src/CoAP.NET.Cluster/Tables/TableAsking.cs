namespace CoAP.NET.Cluster;

/// <summary>A question that waits: where it was asked, since when, and what was waited for last.</summary>
/// <param name="node">The node at which it was asked.</param>
/// <param name="key">The key.</param>
/// <param name="question">The question.</param>
/// <param name="timeout">How long it may wait.</param>
/// <param name="time">The clock.</param>
internal sealed class TableAsking(CoapNodeId node, CoapTableKey key, ReadOnlyMemory<byte> question, TimeSpan timeout, TimeProvider time)
{
    private readonly long _began = time.GetTimestamp();

    public CoapNodeId Node => node;

    public CoapTableKey Key => key;

    public ReadOnlyMemory<byte> Question => question;

    /// <summary>How long it may still wait.</summary>
    public TimeSpan Left
    {
        get
        {
            TimeSpan left = SettleClock.InWholeMilliseconds(timeout - time.GetElapsedTime(_began));
            return left > TimeSpan.Zero ? left : TimeSpan.Zero;
        }
    }

    /// <summary>Whether it has a place among those that wait.</summary>
    public bool HasPlace { get; set; }

    /// <summary>Whether it may have been decided, and nobody knows.</summary>
    public bool IsOutcomeUnknown { get; set; }

    /// <summary>What was waited for last, as a sentence.</summary>
    public string Why { get; set; } = "No node has the slot.";

    /// <summary>What caused it.</summary>
    public Exception? Cause { get; set; }

    /// <summary>The time is over.</summary>
    /// <param name="fault">What was waited for last.</param>
    public CoapTableUnavailableException End(CoapTableFault fault) => new(fault, timeout,
        $"The owner of slot {key.Slot} did not answer within {timeout}: {Why} "
        + (IsOutcomeUnknown
            ? "The change may still take effect. Ask again: the same question leads to the same entry."
            : "Nothing has changed. Ask again later."), Cause)
    {
        IsOutcomeUnknown = IsOutcomeUnknown,
    };
}
