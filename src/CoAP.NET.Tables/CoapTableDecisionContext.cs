namespace CoAP.NET.Tables;

/// <summary>A question to <see cref="ICoapReplicatedTableRules.Decide"/>.</summary>
/// <param name="Key">The key of the entry.</param>
/// <param name="Current">The value of the entry; null if there is none. It is immutable, and may be kept.</param>
/// <param name="Bytes">The question (<see cref="CoapReplicatedTable.RequestAsync"/>). Do not keep the memory.</param>
/// <param name="Remaining">The remaining lifetime of the entry; <see cref="Timeout.InfiniteTimeSpan"/> for no end, zero if there is
/// none.</param>
/// <param name="Time">The time of the deciding node.</param>
internal readonly record struct CoapTableDecisionContext(
    CoapTableKey Key, ReadOnlyMemory<byte>? Current, ReadOnlyMemory<byte> Bytes, TimeSpan Remaining = default,
    DateTimeOffset Time = default);
