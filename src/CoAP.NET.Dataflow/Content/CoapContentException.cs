namespace CoAP.NET;

/// <summary>
/// A payload is not what it was to be read as: it has another Content-Format, or it is malformed. A handler that does not catch it for its
/// own request answers 4.15 or 4.00, with the message as diagnostic payload.
/// </summary>
public sealed class CoapContentException : CoapException
{
    /// <summary>Makes an exception; for methods that read payloads of further formats.</summary>
    /// <param name="code">What a server answers to such a payload: 4.15, or 4.00 for a malformed one.</param>
    /// <param name="message">What is wrong. It goes to the peer as diagnostic payload, so it says nothing that a peer must not
    /// know.</param>
    /// <param name="request">The request whose payload it is, whose handler then need not catch it; null for that of a response.</param>
    /// <param name="innerException">The cause; null for none.</param>
    /// <exception cref="ArgumentException">The code is of no error.</exception>
    public CoapContentException(CoapCode code, string message, CoapRequest? request = null, Exception? innerException = null)
        : base(message, innerException)
    {
        if (!code.IsError)
        {
            throw new ArgumentException($"{code} is no error.", nameof(code));
        }

        Request = request;
        Code = code;
    }

    /// <summary>
    /// What a server answers to such a payload: 4.15 Unsupported Content-Format, or 4.00 Bad Request for a malformed one (RFC 7252 section
    /// 5.9.2).
    /// </summary>
    public CoapCode Code { get; }

    /// <summary>The request whose payload it is; null for that of a response.</summary>
    internal CoapRequest? Request { get; }

    /// <summary>A payload has another Content-Format than it is to be read as: 4.15 Unsupported Content-Format.</summary>
    /// <param name="wanted">What it is to be read as, as a word in a sentence, such as <c>CBOR</c>.</param>
    /// <param name="format">Its Content-Format; null when it has none.</param>
    /// <param name="request">The request whose payload it is; null for that of a response.</param>
    /// <returns>The exception.</returns>
    public static CoapContentException Unsupported(string wanted, CoapContentFormat? format, CoapRequest? request = null) => new(
        CoapCode.UnsupportedContentFormat,
        $"The payload is to be read as {wanted}, but its Content-Format is {format?.ToString() ?? "absent"}.",
        request);
}
