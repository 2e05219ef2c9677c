namespace CoAP.NET.Peers;

/// <summary>Whether a peer understands tokens of more than 8 bytes (RFC 8974 section 2.2.2).</summary>
internal enum LongTokenSupport
{
    /// <summary>Nobody asked yet, or the answer is too old.</summary>
    Unknown,

    /// <summary>A request with such a token is under way.</summary>
    Asking,

    /// <summary>It does.</summary>
    Yes,

    /// <summary>It does not.</summary>
    No,
}
