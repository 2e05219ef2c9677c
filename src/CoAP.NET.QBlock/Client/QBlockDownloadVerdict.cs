namespace CoAP.NET.QBlock.Client;

/// <summary>The meaning of a block of a Q-Block2 body (RFC 9177 section 4.4).</summary>
internal enum QBlockDownloadVerdict
{
    /// <summary>It came before, or belongs to a body that is not collected any more.</summary>
    Ignored,

    /// <summary>It was taken; others are missing.</summary>
    Taken,

    /// <summary>It was the last one that was missing.</summary>
    Complete,

    /// <summary>The representation is another one now: what came before is of no use.</summary>
    Changed,

    /// <summary>Entity-tag, size, number and payload do not go together.</summary>
    Bad,

    /// <summary>The body is larger than is taken.</summary>
    TooLarge,
}
