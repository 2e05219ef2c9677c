using System.Net;

namespace CoAP.NET.Http;

/// <summary>A message of HTTP or CoAP has no counterpart in the other protocol. It says what the requester is answered.</summary>
public sealed class CoapHttpTranslationException : Exception
{
    /// <summary>Makes an exception.</summary>
    /// <param name="status">What an HTTP client is answered.</param>
    /// <param name="code">What a CoAP client is answered.</param>
    /// <param name="message">What has no counterpart, and what to do.</param>
    public CoapHttpTranslationException(HttpStatusCode status, CoapCode code, string message)
        : base(message)
    {
        Status = status;
        Code = code;
    }

    /// <summary>What an HTTP client is answered.</summary>
    public HttpStatusCode Status { get; }

    /// <summary>What a CoAP client is answered.</summary>
    public CoapCode Code { get; }
}
