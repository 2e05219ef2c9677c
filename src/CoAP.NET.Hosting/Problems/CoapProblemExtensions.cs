using CoAP.NET.Hosting;

namespace CoAP.NET;

/// <summary>Adds error descriptions for clients.</summary>
public static class CoapProblemExtensions
{
    /// <summary>Describes errors with concise problem details (RFC 9290).</summary>
    /// <typeparam name="TSelf">
    /// The type of the route or group; <c>server.Routes</c> is the group of all routes, which also covers unknown paths.
    /// </typeparam>
    /// <param name="routes">The route or group.</param>
    /// <param name="configure">Sets options; null for none.</param>
    /// <returns>The route or group.</returns>
    /// <remarks>
    /// It covers error answers without payload or with a diagnostic text, invalid payloads, unhandled exceptions, and refusals of the
    /// server itself, such as unknown paths. Clients that accept problem details or sent no Accept get them; others get a diagnostic text.
    /// Answers with a Content-Format stay unmodified.
    /// </remarks>
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
