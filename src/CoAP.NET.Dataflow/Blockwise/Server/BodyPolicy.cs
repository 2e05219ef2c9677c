namespace CoAP.NET.Blockwise;

/// <summary>What a route says of the bodies of its requests.</summary>
/// <param name="Mode">How it takes bodies that come in several blocks.</param>
/// <param name="MaxSize">The largest body in bytes.</param>
/// <param name="HasGates">Whether something is to be asked before a body is put together.</param>
internal sealed record BodyPolicy(BodyMode Mode, long MaxSize, bool HasGates = false);
