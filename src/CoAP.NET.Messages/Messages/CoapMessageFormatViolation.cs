namespace CoAP.NET;

/// <summary>
/// The rules of the message formats that received bytes can violate (RFC 7252 section 3, RFC 8323 section 3.2, RFC 8974 section 2.1).
/// </summary>
public enum CoapMessageFormatViolation : byte
{
    /// <summary>No rule is violated.</summary>
    None,

    /// <summary>The message ends inside its header.</summary>
    HeaderTruncated,

    /// <summary>The version is not 1 (RFC 7252 section 3): the message must be ignored silently.</summary>
    UnknownVersion,

    /// <summary>The token length is 15, or above 8 without support for extended tokens.</summary>
    TokenLengthReserved,

    /// <summary>The message ends inside the token or its extended length.</summary>
    TokenTruncated,

    /// <summary>The token is longer than <see cref="CoapSerializerOptions.MaxTokenLength"/>.</summary>
    TokenTooLong,

    /// <summary>An Empty message has a token, options or a payload (RFC 7252 section 4.1).</summary>
    EmptyNotEmpty,

    /// <summary>An option delta of 15 that is not a payload marker.</summary>
    OptionDeltaReserved,

    /// <summary>An option length of 15.</summary>
    OptionLengthReserved,

    /// <summary>The message ends inside an option's header.</summary>
    OptionHeaderTruncated,

    /// <summary>The message ends inside an option's value.</summary>
    OptionValueTruncated,

    /// <summary>An option number above 65,535.</summary>
    OptionNumberTooLarge,

    /// <summary>More options than <see cref="CoapSerializerOptions.MaxOptions"/>.</summary>
    TooManyOptions,

    /// <summary>A payload marker without a payload.</summary>
    PayloadMissing,

    /// <summary>The code has a reserved class (RFC 7252 section 4.2).</summary>
    CodeReserved,

    /// <summary>The message is larger than <see cref="CoapSerializerOptions.MaxMessageSize"/>.</summary>
    MessageTooLarge,

    /// <summary>The source ended before or inside a message whose header has its length (RFC 8323 section 3.2).</summary>
    /// <remarks>At offset 0 it ended cleanly between two messages.</remarks>
    EndOfStream,

    /// <summary>The length field of a WebSocket message is not 0 (RFC 8323 section 4.2).</summary>
    LengthNotZero,

    /// <summary>Bytes follow the message, although the source should contain exactly one.</summary>
    TrailingBytes,
}
