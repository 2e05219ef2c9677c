using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET;

// Problem details of error responses (RFC 9290).
public static partial class CoapContentReading
{
    /// <summary>The payload of a response as concise problem details (RFC 9290).</summary>
    /// <param name="response">The response.</param>
    /// <param name="problem">The problem details.</param>
    /// <returns>Whether the Content-Format says so and the payload is well-formed.</returns>
    public static bool TryReadProblem(this CoapResponse response, [NotNullWhen(true)] out CoapProblem? problem)
    {
        ArgumentNullException.ThrowIfNull(response);
        problem = null;
        return response.ContentFormat == CoapContentFormat.ConciseProblemDetails && CoapProblem.TryParse(response.Payload.Span, out problem, out _);
    }

    /// <summary>The payload of a response as concise problem details (RFC 9290).</summary>
    /// <param name="response">The response.</param>
    /// <returns>The problem details.</returns>
    /// <exception cref="CoapContentException">The Content-Format is another one, or the payload is malformed.</exception>
    public static CoapProblem ReadProblem(this CoapResponse response)
    {
        ArgumentNullException.ThrowIfNull(response);
        if (response.ContentFormat != CoapContentFormat.ConciseProblemDetails)
        {
            throw Unsupported(null, response.ContentFormat, "concise problem details");
        }

        return CoapProblem.TryParse(response.Payload.Span, out CoapProblem? problem, out string? error)
            ? problem
            : throw new CoapContentException(null, CoapCode.BadRequest, $"The payload is no concise problem details: {error}.");
    }
}
