using CoAP.NET.Content;

namespace CoAP.NET;

/// <summary>A peer answered with an error response, and <see cref="CoapResponse.EnsureSuccess"/> was asked to throw.</summary>
public sealed class CoapResponseException : CoapException
{
    internal CoapResponseException(CoapResponse response)
        : base(CoapError.ErrorResponse, $"The peer answered {response.Code}{Reason(response)}{Limit(response)}")
    {
        Response = response;
        RetryAfter = response.RetryAfter;
    }

    /// <summary>The response, with its diagnostic payload or problem details.</summary>
    public CoapResponse Response { get; }

    private static string Reason(CoapResponse response) =>
        CoapUntrustedText.LineOf(Describe(response)) is { Length: > 0 } text ? $": {text}" : ".";

    // RFC 7252 section 5.9.2.9: with 4.13 a server may report its maximum body size.
    private static string? Limit(CoapResponse response) =>
        response.Code == CoapCode.RequestEntityTooLarge && response.Options.Size1 is { } size
            ? $" It accepts bodies of at most {size} bytes (Size1)."
            : null;

    // A diagnostic payload has no Content-Format (RFC 7252 section 5.5.2).
    private static string? Describe(CoapResponse response) =>
        response.ContentFormat is null ? response.GetText()
        : response.ContentFormat == CoapContentFormat.ConciseProblemDetails ? ProblemDetailsText.Of(response.Payload.Span)
        : null;
}
