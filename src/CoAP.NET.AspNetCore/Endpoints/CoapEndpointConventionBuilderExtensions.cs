using CoAP.NET;
using CoAP.NET.AspNetCore.Endpoints;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Says which endpoints of a web application are served over CoAP.</summary>
public static class CoapEndpointConventionBuilderExtensions
{
    /// <summary>
    /// Serves an endpoint, or all those of a group, over CoAP too, where <c>app.MapCoap()</c> is called.
    /// </summary>
    /// <typeparam name="TBuilder">The endpoint or group.</typeparam>
    /// <param name="builder">The endpoint or group.</param>
    /// <param name="configure">
    /// Says more about the CoAP routes, such as <c>route => route.Observable()</c>; called for each path and method when the application
    /// starts, after what groups around say. Null for nothing.
    /// </param>
    /// <returns>The endpoint or group.</returns>
    public static TBuilder WithCoap<TBuilder>(this TBuilder builder, Action<CoapRouteHandlerBuilder>? configure = null)
        where TBuilder : IEndpointConventionBuilder
    {
        CoapMark mark = new(IsServed: true, configure);
        builder.Add(endpoint => endpoint.Metadata.Add(mark));
        return builder;
    }

    /// <summary>Does not serve an endpoint, or those of a group, over CoAP, although the group around it or the application does.</summary>
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
