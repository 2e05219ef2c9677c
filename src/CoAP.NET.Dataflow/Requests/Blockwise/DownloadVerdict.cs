namespace CoAP.NET.Blockwise;

/// <summary>The meaning of a response for the body that is being assembled (RFC 7959 section 2.4).</summary>
internal enum DownloadVerdict
{
    /// <summary>The whole body is in this response.</summary>
    Whole,

    /// <summary>The block that was asked for; more follow.</summary>
    Block,

    /// <summary>The block that was asked for, and the last one.</summary>
    LastBlock,

    /// <summary>No success: the response ends the transfer.</summary>
    Error,

    /// <summary>A block of another representation than the one before.</summary>
    Changed,

    /// <summary>There is no Block2 where a further block was asked for.</summary>
    NoBlock,

    /// <summary>Another block than the one that was asked for.</summary>
    OtherBlock,

    /// <summary>The payload has not the length that the block says.</summary>
    WrongLength,

    /// <summary>The reserved size exponent 7 (RFC 7959 section 2.2).</summary>
    ReservedSize,
}
