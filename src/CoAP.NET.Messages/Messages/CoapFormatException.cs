namespace CoAP.NET;

/// <summary>Bytes are not a CoAP message, or a text is not in its format: a URI, link format, CBOR notation, SenML.</summary>
/// <remarks>The message says what is wrong, where, and what to do.</remarks>
public sealed class CoapFormatException : CoapException
{
    /// <summary>Creates an exception for a text.</summary>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="position">The index of the first character or byte that is wrong, from 0.</param>
    public CoapFormatException(string message, long position)
        : base(CoapError.InvalidFormat, message) => Position = position;

    /// <summary>Creates an exception for the bytes of a message.</summary>
    /// <param name="error">The rule and the offset.</param>
    public CoapFormatException(CoapFormatError error)
        : this($"The bytes are not a CoAP message: {error.Rule} at offset {error.Offset}.", error.Offset) => Rule = error.Rule;

    /// <summary>The index of the first character or byte that is wrong, from 0.</summary>
    public long Position { get; }

    /// <summary>The violated rule of the message format; <see cref="CoapMessageFormatViolation.None"/> for other formats.</summary>
    public CoapMessageFormatViolation Rule { get; }
}
