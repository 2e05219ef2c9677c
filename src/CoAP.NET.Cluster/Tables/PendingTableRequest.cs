using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;

namespace CoAP.NET.Cluster.Tables;

/// <summary>A waiting question: its origin, its start, and the last reason for the wait.</summary>
/// <param name="node">The node that asks.</param>
/// <param name="key">The key.</param>
/// <param name="question">The question.</param>
/// <param name="timeout">The maximum time to wait.</param>
/// <param name="time">The clock.</param>
internal sealed class PendingTableRequest(
    CoapNodeId node, CoapTableKey key, ReadOnlyMemory<byte> question, TimeSpan timeout, TimeProvider time)
{
    private readonly long _began = time.GetTimestamp();

    public CoapNodeId Node => node;

    public CoapTableKey Key => key;

    public ReadOnlyMemory<byte> Question => question;

    public TimeSpan Left
    {
        get
        {
            TimeSpan left = MembershipStability.InWholeMilliseconds(timeout - time.GetElapsedTime(_began));
            return left > TimeSpan.Zero ? left : TimeSpan.Zero;
        }
    }

    /// <summary>Whether it has a place among the waiting questions.</summary>
    public bool IsCounted { get; set; }

    /// <summary>Whether it may have been decided.</summary>
    public bool IsOutcomeUnknown { get; set; }

    /// <summary>The last reason for the wait, as a sentence.</summary>
    public string Why { get; set; } = "The slot has no owner.";

    public Exception? Cause { get; set; }

    /// <summary>Ends it after the timeout.</summary>
    /// <param name="fault">The last reason for the wait.</param>
    public CoapTableUnavailableException End(CoapTableUnavailableReason fault) => new(fault, timeout,
        $"The owner of slot {key.Slot} did not answer within {timeout}: {Why} "
        + (IsOutcomeUnknown
            ? "The change may still take effect. Try again: the same question leads to the same entry."
            : "Nothing has changed. Try again later."), Cause)
    {
        IsOutcomeUnknown = IsOutcomeUnknown,
    };
}
