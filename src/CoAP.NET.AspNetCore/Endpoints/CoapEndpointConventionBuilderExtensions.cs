using CoAP.NET;
using CoAP.NET.AspNetCore.Endpoints;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Selects the endpoints of a web application that are served over CoAP.</summary>
public static class CoapEndpointConventionBuilderExtensions
{
    /// <summary>
    /// Serves an endpoint, or all endpoints of a group, over CoAP as well, if the application calls <c>app.MapCoap()</c>.
    /// </summary>
    /// <typeparam name="TBuilder">The endpoint or group.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <param name="configure">Configures the CoAP routes, such as <c>route => route.Observable()</c>; null for nothing. Called for each
    /// path and method when the application starts, after the callbacks of outer groups.</param>
    /// <returns>The endpoint or group.</returns>
    public static TBuilder WithCoap<TBuilder>(this TBuilder builder, Action<CoapRouteHandlerBuilder>? configure = null)
        where TBuilder : IEndpointConventionBuilder
    {
        CoapMark mark = new(IsServed: true, configure);
        builder.Add(endpoint => endpoint.Metadata.Add(mark));
        return builder;
    }

    /// <summary>
    /// Excludes an endpoint, or the endpoints of a group, from CoAP although an outer group or the application includes it.
    /// </summary>
    /// <typeparam name="TBuilder">The endpoint or group.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <returns>The endpoint or group.</returns>
    public static TBuilder WithoutCoap<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder
    {
        CoapMark mark = new(IsServed: false, null);
        builder.Add(endpoint => endpoint.Metadata.Add(mark));
        return builder;
    }
}
