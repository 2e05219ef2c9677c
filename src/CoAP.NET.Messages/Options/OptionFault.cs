namespace CoAP.NET.Options;

/// <summary>The reason why an option prevents the processing of a message.</summary>
internal enum OptionFault : byte
{
    /// <summary>No fault.</summary>
    None,

    /// <summary>No factory knows this critical option, or no component processed it (RFC 7252 section 5.4.1).</summary>
    Unknown,

    /// <summary>The value of a critical option has an invalid length (RFC 7252 section 5.4.3).</summary>
    Length,

    /// <summary>A critical option that is not repeatable is repeated (RFC 7252 section 5.4.5).</summary>
    Repeated,

    /// <summary>A critical option is not defined for this kind of message (RFC 7252 section 5.4).</summary>
    NotDefinedHere,

    /// <summary>A reserved Location option occurs together with Location-Path or Location-Query (RFC 7252 section 5.10.7).</summary>
    ReservedLocation,

    /// <summary>The value is invalid by the definition, or a critical string is not UTF-8 (RFC 7252 section 3.2).</summary>
    Value,

    /// <summary>Length or value is invalid, and the definition refuses such messages, even if the option is elective.</summary>
    Refused,
}
