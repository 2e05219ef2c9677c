namespace CoAP.NET.Blockwise;

/// <summary>The policy of a route for request bodies.</summary>
/// <param name="Mode">The mode for bodies in several blocks.</param>
/// <param name="MaxSize">The largest body in bytes.</param>
/// <param name="HasGates">Whether there are checks before a body is assembled.</param>
internal sealed record RequestBodyPolicy(RequestBodyMode Mode, long MaxSize, bool HasGates = false);

/// <summary>How a route takes bodies that come in several blocks (RFC 7959).</summary>
internal enum RequestBodyMode : byte
{
    /// <summary>The handler runs once, with the whole body (RFC 7959 section 2.5: atomic).</summary>
    Whole,

    /// <summary>The handler runs for each block (RFC 7959 section 2.5: stateless).</summary>
    Blocks,

    /// <summary>The handler runs once, from the first block on, and reads the blocks as they come.</summary>
    Streamed,
}
