namespace CoAP.NET.Cluster.Tables;

/// <summary>The progress of a question at the owner of a slot.</summary>
/// <param name="Kind">The progress.</param>
/// <param name="Reply">The reply, valid once the write is confirmed.</param>
/// <param name="Wait">The task to wait for.</param>
internal readonly record struct SlotOwnerAnswer(TableRequestState Kind, ReadOnlyMemory<byte> Reply = default, Task<bool>? Wait = null);
