namespace CoAP.NET;

/// <summary>The format of an option's value (RFC 7252 section 3.2).</summary>
public enum OptionFormat : byte
{
    /// <summary>A zero-length sequence of bytes.</summary>
    Empty,

    /// <summary>An opaque sequence of bytes.</summary>
    Opaque,

    /// <summary>A non-negative integer in network byte order, without leading zeros when sent.</summary>
    UInt,

    /// <summary>A Unicode string in UTF-8, in Net-Unicode form (RFC 5198).</summary>
    String,
}
