using CoAP.NET.Settings;

namespace CoAP.NET.Tables;

/// <summary>Options of a <see cref="CoapReplicatedTable"/>.</summary>
[HasSettings]
internal sealed partial class CoapReplicatedTableOptions
{
    /// <summary>The maximum number of bytes of keys and values.</summary>
    /// <remarks>
    /// Each node has all entries, and needs about 80 bytes more for each. A change that would exceed the maximum fails
    /// (<see cref="CoapTableUnavailableReason.Full"/>); changes that other nodes have accepted are always applied.
    /// </remarks>
    [NumberRange(4L << 10, 1L << 40, IsBytes = true)]
    public partial long MaxBytes { get; set; } = 1L << 30;

    /// <summary>The maximum time that a question waits for the owner of its slot and for the store.</summary>
    [TimeRange(100 * Seconds.Millisecond, Seconds.Minute)]
    public partial TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>The maximum number of questions of one node that wait at the same time, for an owner or for the store.</summary>
    /// <remarks>The maximum applies to each node, at each other one.</remarks>
    [NumberRange(1, 1_000_000)]
    public partial int MaxWaiting { get; set; } = 10_000;

    /// <summary>The maximum number of bytes of these questions.</summary>
    [NumberRange(64L << 10, 1L << 30, IsBytes = true)]
    public partial long MaxWaitingBytes { get; set; } = 16 << 20;
}
