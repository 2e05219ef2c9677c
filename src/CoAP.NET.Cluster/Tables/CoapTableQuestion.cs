namespace CoAP.NET.Cluster;

/// <summary>What <see cref="ICoapTableRules.Decide"/> is asked.</summary>
/// <param name="Key">The key of the entry.</param>
/// <param name="Current">The value of the entry; null when there is none. It does not change any more, and may be kept.</param>
/// <param name="Bytes">What was asked (<see cref="CoapTable.AskAsync"/>). The memory must not be kept.</param>
/// <param name="Remaining">How long the entry still lasts; <see cref="Timeout.InfiniteTimeSpan"/> for no end, zero when there is none.
/// </param>
/// <param name="Time">The time of the node that decides.</param>
public readonly record struct CoapTableQuestion(
    CoapTableKey Key, ReadOnlyMemory<byte>? Current, ReadOnlyMemory<byte> Bytes, TimeSpan Remaining = default,
    DateTimeOffset Time = default);
