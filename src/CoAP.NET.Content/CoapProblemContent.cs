using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET;

/// <summary>Errors described for programs (RFC 9290): <c>CoapResults.Problem</c> answers them, <c>ReadProblem</c> reads them.</summary>
public static class CoapProblemContent
{
    extension(CoapResults)
    {
        /// <summary>An error with concise problem details (RFC 9290). A client whose Accept names another format is not looked at: such
        /// details are small, and it sees by their Content-Format what they are.</summary>
        /// <param name="code">The code, of class 4 or 5.</param>
        /// <param name="problem">What went wrong.</param>
        /// <returns>The result.</returns>
        /// <exception cref="ArgumentException">The code is of no error, or another one than the problem names.</exception>
        /// <exception cref="InvalidOperationException">The problem cannot be encoded; see <see cref="CoapProblem.ToBytes"/>.</exception>
        public static CoapResult Problem(CoapCode code, CoapProblem problem)
        {
            ArgumentNullException.ThrowIfNull(problem);
            if (!code.IsError)
            {
                throw new ArgumentException($"{code} is no error. Problem details describe errors.", nameof(code));
            }

            if (problem.ResponseCode is { } named && named != code)
            {
                throw new ArgumentException(
                    $"The problem names the response code {named}, but it is to be answered with {code}; both must be the same (RFC 9290 "
                        + "section 2).",
                    nameof(problem));
            }

            return new CoapResult(code, problem.ToBytes(), CoapContentFormat.ConciseProblemDetails);
        }

        /// <summary>An error with concise problem details (RFC 9290).</summary>
        /// <param name="code">The code, of class 4 or 5.</param>
        /// <param name="title">A summary of the type of the problem.</param>
        /// <param name="detail">What is special to this occurrence; null for nothing.</param>
        /// <returns>The result.</returns>
        /// <exception cref="ArgumentException">The code is of no error.</exception>
        public static CoapResult Problem(CoapCode code, string title, string? detail = null)
        {
            ArgumentNullException.ThrowIfNull(title);
            return CoapResults.Problem(code, new CoapProblem { Title = title, Detail = detail });
        }
    }

    /// <summary>The payload of a response as concise problem details (RFC 9290).</summary>
    /// <param name="response">The response.</param>
    /// <param name="problem">The problem details.</param>
    /// <returns>Whether the Content-Format says so and the payload is well-formed.</returns>
    public static bool TryReadProblem(this CoapResponse response, [NotNullWhen(true)] out CoapProblem? problem)
    {
        ArgumentNullException.ThrowIfNull(response);
        problem = null;
        return response.ContentFormat == CoapContentFormat.ConciseProblemDetails
            && CoapProblem.TryParse(response.Payload.Span, out problem, out _);
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
            throw CoapContentException.Unsupported("concise problem details", response.ContentFormat);
        }

        return CoapProblem.TryParse(response.Payload.Span, out CoapProblem? problem, out string? error)
            ? problem
            : throw new CoapContentException(CoapCode.BadRequest, $"The payload is no concise problem details: {error}.");
    }
}
