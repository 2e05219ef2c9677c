namespace CoAP.NET;

/// <summary>A payload has another Content-Format than expected, or is malformed.</summary>
/// <remarks>A handler that does not catch it for its own request answers 4.15 or 4.00, with the message as diagnostic payload.</remarks>
public sealed class CoapContentException : CoapException
{
    /// <summary>Creates an exception; for methods that read payloads of further formats.</summary>
    /// <param name="code">The response code of a server to such a payload: 4.15, or 4.00 for a malformed one.</param>
    /// <param name="message">The error. It goes to the peer as diagnostic payload, so it must not contain anything confidential.</param>
    /// <param name="request">The request with the payload, whose handler then need not catch it; null for the payload of a
    /// response.</param>
    /// <param name="innerException">The cause; null for none.</param>
    /// <exception cref="ArgumentException">The code is not an error code.</exception>
    public CoapContentException(CoapCode code, string message, CoapRequest? request = null, Exception? innerException = null)
        : base(message, innerException)
    {
        if (!code.IsError)
        {
            throw new ArgumentException($"{code} is not an error code. Use a code in class 4 or 5.", nameof(code));
        }

        Request = request;
        Code = code;
    }

    /// <summary>
    /// The response code of a server to such a payload: 4.15 Unsupported Content-Format, or 4.00 Bad Request for a malformed one (RFC 7252
    /// section 5.9.2).
    /// </summary>
    public CoapCode Code { get; }

    /// <summary>The request with the payload; null for the payload of a response.</summary>
    internal CoapRequest? Request { get; }

    /// <summary>Creates an exception for a payload with an unexpected Content-Format: 4.15 Unsupported Content-Format.</summary>
    /// <param name="wanted">The expected format, as a word in a sentence, such as <c>CBOR</c>.</param>
    /// <param name="format">Its Content-Format; null if it has none.</param>
    /// <param name="request">The request with the payload; null for the payload of a response.</param>
    /// <returns>The exception.</returns>
    public static CoapContentException Unsupported(string wanted, CoapContentFormat? format, CoapRequest? request = null) => new(
        CoapCode.UnsupportedContentFormat,
        $"The payload is to be read as {wanted}, but its Content-Format is {format?.ToString() ?? "absent"}.",
        request);
}
