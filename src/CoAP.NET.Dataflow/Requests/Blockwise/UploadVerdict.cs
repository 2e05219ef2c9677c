namespace CoAP.NET.Blockwise;

/// <summary>The meaning of the response to a block of an upload (RFC 7959 sections 2.3 and 2.9).</summary>
internal enum UploadVerdict
{
    /// <summary>The block was taken; the next one goes out.</summary>
    Next,

    /// <summary>The body goes out once more, from its beginning.</summary>
    Restart,

    /// <summary>This is the response to the whole request; nothing more is sent in this phase.</summary>
    Final,

    /// <summary>The server asks to go on after the last block.</summary>
    ContinueAfterTheEnd,

    /// <summary>The server acknowledges another block than the one that was sent.</summary>
    OtherBlock,

    /// <summary>The server uses the reserved size exponent 7 (RFC 7959 section 2.2).</summary>
    ReservedSize,
}
