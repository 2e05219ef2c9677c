namespace CoAP.NET.Blockwise;

/// <summary>The policy of a route for request bodies.</summary>
/// <param name="Mode">The mode for bodies in several blocks.</param>
/// <param name="MaxSize">The largest body in bytes.</param>
/// <param name="HasGates">Whether there are checks before a body is assembled.</param>
internal sealed record BodyPolicy(BodyMode Mode, long MaxSize, bool HasGates = false);
