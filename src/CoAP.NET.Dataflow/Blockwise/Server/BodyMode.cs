namespace CoAP.NET.Blockwise;

/// <summary>How a route takes bodies that come in several blocks (RFC 7959).</summary>
internal enum BodyMode : byte
{
    /// <summary>The handler runs once, with the whole body (RFC 7959 section 2.5: atomic).</summary>
    Whole,

    /// <summary>The handler runs for each block (RFC 7959 section 2.5: stateless).</summary>
    Blocks,

    /// <summary>The handler runs once, from the first block on, and reads the blocks as they come.</summary>
    Streamed,
}
