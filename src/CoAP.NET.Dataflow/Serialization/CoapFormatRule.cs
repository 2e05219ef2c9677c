namespace CoAP.NET.Serialization;

/// <summary>
/// The rules of the message formats that bytes can break (RFC 7252 section 3, RFC 8323 section 3.2, RFC 8974 section 2.1).
/// </summary>
public enum CoapFormatRule : byte
{
    /// <summary>No rule is broken.</summary>
    None,

    /// <summary>The message ends within its header.</summary>
    HeaderTruncated,

    /// <summary>The version is not 1 (RFC 7252 section 3): to be ignored silently.</summary>
    UnknownVersion,

    /// <summary>The token length is 15, or above 8 where extended tokens are switched off.</summary>
    TokenLengthReserved,

    /// <summary>The message ends within the token or its extended length.</summary>
    TokenTruncated,

    /// <summary>The token is longer than <see cref="CoapSerializerOptions.MaxTokenLength"/>.</summary>
    TokenTooLong,

    /// <summary>An Empty message has a token, options or a payload (RFC 7252 section 4.1).</summary>
    EmptyNotEmpty,

    /// <summary>An option delta of 15 that is no payload marker.</summary>
    OptionDeltaReserved,

    /// <summary>An option length of 15.</summary>
    OptionLengthReserved,

    /// <summary>The message ends within an option's header.</summary>
    OptionHeaderTruncated,

    /// <summary>The message ends within an option's value.</summary>
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

    /// <summary>
    /// The source ended before or within a message whose header says its length (RFC 8323 section 3.2). At offset 0 it ended cleanly
    /// between two messages.
    /// </summary>
    EndOfStream,

    /// <summary>The length field of a WebSocket message is not 0 (RFC 8323 section 4.2).</summary>
    LengthNotZero,

    /// <summary>Bytes follow where the source should hold exactly one message.</summary>
    TrailingBytes,
}
