namespace CoAP.NET;

/// <summary>A payload has another Content-Format than expected, is malformed, or is incomplete.</summary>
/// <remarks>
/// A stream that was given to <see cref="CoapResults.Sequential"/> throws it with a <see cref="CoapResult"/> when it cannot continue: the
/// peer gets that result in place of the next block, and the server neither logs nor counts an error of the handler. If a handler does not
/// catch it, the server answers <see cref="Code"/> with the message as diagnostic payload. It answers 5.00 without a text if the payload is
/// not that of the request: it belongs to a response or to another request, or the method is GET or DELETE, whose requests have no payload.
/// </remarks>
public sealed class CoapContentException : CoapException
{
    /// <summary>Creates an exception about a payload; for methods that read further formats.</summary>
    /// <remarks>Inside a handler the payload counts as that of the handled request.</remarks>
    /// <param name="code">The response code of a server to such a payload: 4.15, or 4.00 for a malformed one.</param>
    /// <param name="message">The error. It goes to the peer as diagnostic payload, so it must not contain anything confidential.</param>
    /// <param name="innerException">The cause; null for none.</param>
    /// <exception cref="ArgumentException">The code is not an error code.</exception>
    public CoapContentException(CoapCode code, string message, Exception? innerException = null)
        : base(CoapError.InvalidContent, message, innerException)
    {
        if (!code.IsError)
        {
            throw new ArgumentException($"{code} is not an error code. Use a code in class 4 or 5.", nameof(code));
        }

        Code = code;
    }

    /// <summary>Creates an exception about the payload of a request; for methods that read further formats.</summary>
    /// <param name="request">The request.</param>
    /// <param name="code">The response code of a server to such a payload: 4.15, or 4.00 for a malformed one.</param>
    /// <param name="message">The error. It goes to the peer as diagnostic payload, so it must not contain anything confidential.</param>
    /// <param name="innerException">The cause; null for none.</param>
    /// <exception cref="ArgumentException">The code is not an error code.</exception>
    public CoapContentException(CoapRequestContext request, CoapCode code, string message, Exception? innerException = null)
        : this(code, message, innerException)
    {
        ArgumentNullException.ThrowIfNull(request);
        Request = request;
    }

    /// <summary>
    /// Creates an exception about the payload of a response; for methods that read further formats. A handler that does not catch it
    /// answers 5.00, because its client did not send the payload.
    /// </summary>
    /// <param name="response">The response.</param>
    /// <param name="code">The response code of a server to such a payload: 4.15, or 4.00 for a malformed one.</param>
    /// <param name="message">The error.</param>
    /// <param name="innerException">The cause; null for none.</param>
    /// <exception cref="ArgumentException">The code is not an error code.</exception>
    public CoapContentException(CoapResponse response, CoapCode code, string message, Exception? innerException = null)
        : this(code, message, innerException)
    {
        ArgumentNullException.ThrowIfNull(response);
        IsOfResponse = true;
    }

    /// <summary>Creates an exception with the response for the peer, for streams of <see cref="CoapResults.Sequential"/>.</summary>
    /// <param name="result">The response for the peer, with an error code.</param>
    /// <param name="message">The error; it does not go to the peer.</param>
    /// <param name="innerException">The cause; null for none.</param>
    /// <exception cref="ArgumentException">The result is a success.</exception>
    public CoapContentException(CoapResult result, string message, Exception? innerException = null)
        : this(CodeOf(result), message, innerException) => Result = result;

    /// <summary>The response for the peer; null if the server answers with <see cref="Code"/> and the message.</summary>
    public CoapResult? Result { get; }

    /// <summary>
    /// The response code of a server to such a payload: 4.15 Unsupported Content-Format, or 4.00 Bad Request for a malformed one (RFC 7252
    /// section 5.9.2).
    /// </summary>
    public CoapCode Code { get; }

    // The request with the payload, if it is known.
    private CoapRequestContext? Request { get; }

    private bool IsOfResponse { get; }

    /// <summary>Creates an exception for a payload with an unexpected Content-Format: 4.15 Unsupported Content-Format.</summary>
    /// <param name="wanted">The expected format, as a word in a sentence, such as <c>CBOR</c>.</param>
    /// <param name="format">Its Content-Format; null if it has none.</param>
    /// <returns>The exception.</returns>
    public static CoapContentException Unsupported(string wanted, CoapContentFormat? format) =>
        new(CoapCode.UnsupportedContentFormat, Describe(wanted, format));

    /// <summary>Creates an exception for a request with an unexpected Content-Format: 4.15 Unsupported Content-Format.</summary>
    /// <param name="wanted">The expected format, as a word in a sentence, such as <c>CBOR</c>.</param>
    /// <param name="request">The request.</param>
    /// <returns>The exception.</returns>
    public static CoapContentException Unsupported(string wanted, CoapRequestContext request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return new CoapContentException(request, CoapCode.UnsupportedContentFormat, Describe(wanted, request.ContentFormat));
    }

    /// <summary>Creates an exception for a response with an unexpected Content-Format: 4.15 Unsupported Content-Format.</summary>
    /// <param name="wanted">The expected format, as a word in a sentence, such as <c>CBOR</c>.</param>
    /// <param name="response">The response.</param>
    /// <returns>The exception.</returns>
    public static CoapContentException Unsupported(string wanted, CoapResponse response)
    {
        ArgumentNullException.ThrowIfNull(response);
        return new CoapContentException(response, CoapCode.UnsupportedContentFormat, Describe(wanted, response.ContentFormat));
    }

    /// <summary>Whether the payload is that of a request, so that its sender made the mistake.</summary>
    internal bool IsAbout(CoapRequestContext request) =>
        Request is not null ? ReferenceEquals(Request, request)
        : !IsOfResponse && request.Method is not (CoapMethod.Get or CoapMethod.Delete);

    private static CoapCode CodeOf(CoapResult result)
    {
        ArgumentNullException.ThrowIfNull(result);
        return result.Code.IsError ? result.Code : throw new ArgumentException(
            "The result is a success, which cannot end a body. Use a result with an error code.", nameof(result));
    }

    private static string Describe(string wanted, CoapContentFormat? format) =>
        $"The payload is to be read as {wanted}, but its Content-Format is {format?.ToString() ?? "absent"}.";
}
