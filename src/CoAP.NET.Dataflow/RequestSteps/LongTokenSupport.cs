namespace CoAP.NET.RequestSteps;

/// <summary>Whether a peer supports tokens of more than 8 bytes (RFC 8974 section 2.2.2).</summary>
internal enum LongTokenSupport
{
    /// <summary>Not tested yet, or the result is too old.</summary>
    Unknown,

    /// <summary>A request with such a token is pending.</summary>
    Asking,

    /// <summary>The peer supports them.</summary>
    Yes,

    /// <summary>The peer does not support them.</summary>
    No,
}
