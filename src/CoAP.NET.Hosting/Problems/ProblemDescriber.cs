using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace CoAP.NET.Hosting.Problems;

/// <summary>
/// Describes error responses as problem details (RFC 9290). It includes the details of exceptions only in the development environment.
/// </summary>
internal sealed class ProblemDescriber(CoapProblemOptions options)
{
    // Null until the first request with services.
    private bool? _isDevelopment;

    /// <summary>
    /// A filter that reads the environment from the services once. An exception comes from a handler, so a request has passed here before
    /// it is described.
    /// </summary>
    public ValueTask<CoapResult> LearnEnvironment(CoapRequestContext request, CoapHandler next, CancellationToken cancellationToken)
    {
        if (_isDevelopment is null && request.Services is { } services)
        {
            _isDevelopment = services.GetService<IHostEnvironment>()?.IsDevelopment() ?? false;
        }

        return next(request, cancellationToken);
    }

    public CoapContent? Describe(CoapRequestContext request, CoapResult result, Exception? exception)
    {
        if (result.Options.ContentFormat is not null)
        {
            return null;
        }

        CoapProblem problem = new() { Title = result.Code.Name ?? result.Code.ToString(), Detail = DetailOf(result, exception) };
        if (options.Customize is { } customize)
        {
            if (customize(request, problem, exception) is not { } customized)
            {
                return null;
            }

            problem = customized;
        }

        if (request.Accept is { } accepted && accepted != CoapContentFormat.ConciseProblemDetails)
        {
            return result.Payload.IsEmpty || options.Customize is not null
                ? new CoapContent(Encoding.UTF8.GetBytes(problem.ToString()))
                : null;
        }

        return problem.ToContent();
    }

    private string? DetailOf(CoapResult result, Exception? exception)
    {
        if (!result.Payload.IsEmpty)
        {
            return Encoding.UTF8.GetString(result.Payload.Span);
        }

        // Errors of the peer appear in the answer in any case.
        return exception switch
        {
            null => null,
            CoapContentException => exception.Message,
            _ => options.IncludeExceptions ?? _isDevelopment ?? false ? $"{exception.GetType().FullName}: {exception.Message}" : null,
        };
    }
}
