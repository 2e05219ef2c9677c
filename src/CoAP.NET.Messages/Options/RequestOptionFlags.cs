namespace CoAP.NET.Options;

/// <summary>
/// The options of a message that need more than a plain exchange. The option check collects them, so plain messages have no extra cost.
/// </summary>
[Flags]
internal enum RequestOptionFlags : byte
{
    /// <summary>None.</summary>
    None = 0,

    /// <summary>Observe (RFC 7641).</summary>
    Observe = 1,

    /// <summary>Block1 (RFC 7959).</summary>
    Block1 = 2,

    /// <summary>Block2 (RFC 7959).</summary>
    Block2 = 4,

    /// <summary>Q-Block1 or Q-Block2 (RFC 9177).</summary>
    QBlock = 8,

    /// <summary>Any option of block-wise transfer.</summary>
    AllBlocks = Block1 | Block2 | QBlock,

    /// <summary>Echo (RFC 9175).</summary>
    Echo = 16,

    /// <summary>No-Response (RFC 7967).</summary>
    NoResponse = 32,

    /// <summary>Proxy-Uri or Proxy-Scheme (RFC 7252 section 5.10.2).</summary>
    Proxy = 64,
}
