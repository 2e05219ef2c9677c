namespace CoAP.NET.Cluster;

/// <summary>How far the owner of a slot got with a question.</summary>
/// <param name="Kind">How far.</param>
/// <param name="Reply">The reply, which counts as soon as what is written is confirmed.</param>
/// <param name="Wait">What is to be waited for.</param>
internal readonly record struct TableStep(TableStepKind Kind, ReadOnlyMemory<byte> Reply = default, Task<bool>? Wait = null);
