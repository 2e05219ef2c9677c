using System.Net;

namespace CoAP.NET.Http;

/// <summary>
/// A message of HTTP or CoAP has no counterpart in the other protocol. The exception holds the response for the requester.
/// </summary>
internal sealed class CoapHttpTranslationException : Exception
{
    /// <summary>Creates an exception.</summary>
    /// <param name="status">The status for an HTTP client.</param>
    /// <param name="code">The code for a CoAP client.</param>
    /// <param name="message">The part without a counterpart, and what to do about it.</param>
    public CoapHttpTranslationException(HttpStatusCode status, CoapCode code, string message)
        : base(message)
    {
        Status = status;
        Code = code;
    }

    /// <summary>The status for an HTTP client.</summary>
    public HttpStatusCode Status { get; }

    /// <summary>The code for a CoAP client.</summary>
    public CoapCode Code { get; }
}
