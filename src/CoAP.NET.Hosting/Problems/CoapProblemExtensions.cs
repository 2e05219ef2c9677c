using CoAP.NET.Hosting;

namespace CoAP.NET;

/// <summary>Describes errors to clients.</summary>
public static class CoapProblemExtensions
{
    /// <summary>
    /// Describes errors by concise problem details (RFC 9290): error answers without payload or with a diagnostic text, payloads that
    /// cannot be read, exceptions that no handler caught, and what the server refuses by itself, such as unknown paths. Clients get them
    /// that accept them or sent no Accept; others get a diagnostic text. Answers with a Content-Format stay as they are.
    /// </summary>
    /// <typeparam name="TSelf">Route or group; <c>server.Routes</c> is the group of all routes, which decides about unknown paths
    /// too.</typeparam>
    /// <param name="routes">The route or group.</param>
    /// <param name="configure">Sets options; null for none.</param>
    /// <returns>The route or group.</returns>
    public static TSelf UseProblemDetails<TSelf>(this CoapRouteConventions<TSelf> routes, Action<CoapProblemOptions>? configure = null)
        where TSelf : CoapRouteConventions<TSelf>
    {
        ArgumentNullException.ThrowIfNull(routes);
        CoapProblemOptions options = new();
        configure?.Invoke(options);
        ProblemDescriber describer = new(options);
        return options.IncludeExceptions is null
            ? routes.AddFilter(describer.LearnEnvironment).DescribeErrors(describer.Describe)
            : routes.DescribeErrors(describer.Describe);
    }
}
