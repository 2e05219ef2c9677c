namespace CoAP.NET;

/// <summary>
/// A payload is not what it was to be read as: it has another Content-Format, or it is malformed. A handler that does not catch it for its own request
/// answers 4.15 or 4.00.
/// </summary>
public sealed class CoapContentException : CoapException
{
    internal CoapContentException(CoapRequest? request, CoapCode code, string message, Exception? innerException = null)
        : base(message, innerException)
    {
        Request = request;
        Code = code;
    }

    /// <summary>What a server answers to such a payload: 4.15 Unsupported Content-Format, or 4.00 Bad Request for a malformed one (RFC 7252 section 5.9.2).</summary>
    public CoapCode Code { get; }

    /// <summary>The request whose payload it is; null for that of a response.</summary>
    internal CoapRequest? Request { get; }
}
