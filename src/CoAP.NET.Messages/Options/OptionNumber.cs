namespace CoAP.NET;

/// <summary>The registered option numbers and the meaning of the bits of any number (RFC 7252 section 5.4.6, figure 10).</summary>
public static class OptionNumber
{
    /// <summary>If-Match (RFC 7252 section 5.10.8.1).</summary>
    public const int IfMatch = 1;

    /// <summary>Uri-Host (RFC 7252 section 5.10.1).</summary>
    public const int UriHost = 3;

    /// <summary>ETag (RFC 7252 section 5.10.6).</summary>
    public const int ETag = 4;

    /// <summary>If-None-Match (RFC 7252 section 5.10.8.2).</summary>
    public const int IfNoneMatch = 5;

    /// <summary>Observe (RFC 7641 section 2).</summary>
    public const int Observe = 6;

    /// <summary>Uri-Port (RFC 7252 section 5.10.1).</summary>
    public const int UriPort = 7;

    /// <summary>Location-Path (RFC 7252 section 5.10.7).</summary>
    public const int LocationPath = 8;

    /// <summary>OSCORE (RFC 8613 section 2).</summary>
    public const int Oscore = 9;

    /// <summary>Uri-Path (RFC 7252 section 5.10.1).</summary>
    public const int UriPath = 11;

    /// <summary>Content-Format (RFC 7252 section 5.10.3).</summary>
    public const int ContentFormat = 12;

    /// <summary>Max-Age (RFC 7252 section 5.10.5).</summary>
    public const int MaxAge = 14;

    /// <summary>Uri-Query (RFC 7252 section 5.10.1).</summary>
    public const int UriQuery = 15;

    /// <summary>Hop-Limit (RFC 8768 section 3).</summary>
    public const int HopLimit = 16;

    /// <summary>Accept (RFC 7252 section 5.10.4).</summary>
    public const int Accept = 17;

    /// <summary>Q-Block1 (RFC 9177 section 4.1).</summary>
    public const int QBlock1 = 19;

    /// <summary>Location-Query (RFC 7252 section 5.10.7).</summary>
    public const int LocationQuery = 20;

    /// <summary>EDHOC (RFC 9668 section 3.1).</summary>
    public const int Edhoc = 21;

    /// <summary>Block2 (RFC 7959 section 2.1).</summary>
    public const int Block2 = 23;

    /// <summary>Block1 (RFC 7959 section 2.1).</summary>
    public const int Block1 = 27;

    /// <summary>Size2 (RFC 7959 section 4).</summary>
    public const int Size2 = 28;

    /// <summary>Q-Block2 (RFC 9177 section 4.1).</summary>
    public const int QBlock2 = 31;

    /// <summary>Proxy-Uri (RFC 7252 section 5.10.2).</summary>
    public const int ProxyUri = 35;

    /// <summary>Proxy-Scheme (RFC 7252 section 5.10.2).</summary>
    public const int ProxyScheme = 39;

    /// <summary>Size1 (RFC 7252 section 5.10.9).</summary>
    public const int Size1 = 60;

    /// <summary>Echo (RFC 9175 section 2.2.1).</summary>
    public const int Echo = 252;

    /// <summary>No-Response (RFC 7967 section 2).</summary>
    public const int NoResponse = 258;

    /// <summary>Request-Tag (RFC 9175 section 3.2.1).</summary>
    public const int RequestTag = 292;

    /// <summary>The largest option number.</summary>
    public const int Max = 65_535;

    /// <summary>Returns whether options with this number are critical: a receiver that does not know them must not ignore them.</summary>
    /// <param name="number">The option number.</param>
    /// <returns>Whether bit 0 is set.</returns>
    public static bool IsCritical(int number) => (number & 1) != 0;

    /// <summary>
    /// Returns whether options with this number are unsafe to forward: a proxy that does not know them must not forward the message.
    /// </summary>
    /// <param name="number">The option number.</param>
    /// <returns>Whether bit 1 is set.</returns>
    public static bool IsUnsafe(int number) => (number & 2) != 0;

    /// <summary>Returns whether options with this number name the resource of a request (RFC 7252 sections 5.10.1 and 5.10.2).</summary>
    internal static bool NamesResource(int number) =>
        number is UriHost or UriPort or UriPath or UriQuery or OptionNumber.ProxyUri or OptionNumber.ProxyScheme;

    /// <summary>Returns whether options with this number are excluded from the cache key.</summary>
    /// <remarks>Only options that are safe to forward can be.</remarks>
    /// <param name="number">The option number.</param>
    /// <returns>Whether bits 1 to 4 are 1110 from bit 4 down.</returns>
    public static bool IsNoCacheKey(int number) => (number & 0x1e) == 0x1c;
}
