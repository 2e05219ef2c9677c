namespace CoAP.NET;

/// <summary>What a cache does with a response that has the option (RFC 7252 section 5.6).</summary>
public enum OptionCachingInResponses : byte
{
    /// <summary>What the number says (RFC 7252 section 5.4.6).</summary>
    /// <remarks>The cache stores an option that is safe to forward, and no response with an unsafe one.</remarks>
    ByNumber,

    /// <summary>The cache stores the response with the option.</summary>
    Keep,

    /// <summary>The cache stores the response without the option.</summary>
    Drop,

    /// <summary>The cache does not store the response.</summary>
    Forbid,
}
