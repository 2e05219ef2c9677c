using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET;

/// <summary>Creates and reads machine-readable errors (RFC 9290): <c>CoapResults.Problem</c> and <c>ReadProblem</c>.</summary>
public static class CoapProblemContent
{
    extension(CoapResults)
    {
        /// <summary>Creates an error response with concise problem details (RFC 9290).</summary>
        /// <remarks>
        /// It ignores a different Accept option of the client: the details are small, and their Content-Format identifies them.
        /// </remarks>
        /// <param name="code">The code, of class 4 or 5.</param>
        /// <param name="problem">The problem details.</param>
        /// <returns>The result.</returns>
        /// <exception cref="ArgumentException">The code is not an error code, or differs from that in the problem details.</exception>
        /// <exception cref="InvalidOperationException">The problem cannot be encoded; see <see cref="CoapProblem.ToBytes"/>.</exception>
        public static CoapResult Problem(CoapCode code, CoapProblem problem)
        {
            ArgumentNullException.ThrowIfNull(problem);
            if (!code.IsError)
            {
                throw new ArgumentException($"{code} is not an error code. Use a code of class 4 or 5.", nameof(code));
            }

            if (problem.ResponseCode is { } named && named != code)
            {
                throw new ArgumentException(
                    $"The problem names the response code {named}, but the response has {code}; both must be the same (RFC 9290 "
                        + "section 2).",
                    nameof(problem));
            }

            return new CoapResult(code, problem.ToBytes(), CoapContentFormat.ConciseProblemDetails);
        }

        /// <summary>Creates an error response with concise problem details (RFC 9290).</summary>
        /// <param name="code">The code, of class 4 or 5.</param>
        /// <param name="title">A summary of the type of the problem.</param>
        /// <param name="detail">The details of this occurrence; null for none.</param>
        /// <returns>The result.</returns>
        /// <exception cref="ArgumentException">The code is not an error code.</exception>
        public static CoapResult Problem(CoapCode code, string title, string? detail = null)
        {
            ArgumentNullException.ThrowIfNull(title);
            return CoapResults.Problem(code, new CoapProblem { Title = title, Detail = detail });
        }
    }

    /// <summary>Reads the payload of a response as concise problem details (RFC 9290).</summary>
    /// <param name="response">The response.</param>
    /// <param name="problem">The problem details.</param>
    /// <returns>True if the Content-Format matches and the payload is well-formed.</returns>
    public static bool TryReadProblem(this CoapResponse response, [NotNullWhen(true)] out CoapProblem? problem)
    {
        ArgumentNullException.ThrowIfNull(response);
        problem = null;
        return response.ContentFormat == CoapContentFormat.ConciseProblemDetails
            && CoapProblem.TryParse(response.Payload.Span, out problem, out _);
    }

    /// <summary>Reads the payload of a response as concise problem details (RFC 9290).</summary>
    /// <param name="response">The response.</param>
    /// <returns>The problem details.</returns>
    /// <exception cref="CoapContentException">The Content-Format is different, or the payload is malformed.</exception>
    public static CoapProblem ReadProblem(this CoapResponse response)
    {
        ArgumentNullException.ThrowIfNull(response);
        if (response.ContentFormat != CoapContentFormat.ConciseProblemDetails)
        {
            throw CoapContentException.Unsupported("concise problem details", response);
        }

        return CoapProblem.TryParse(response.Payload.Span, out CoapProblem? problem, out string? error)
            ? problem
            : throw new CoapContentException(response, CoapCode.BadRequest, $"The payload is not valid concise problem details: {error}.");
    }
}
