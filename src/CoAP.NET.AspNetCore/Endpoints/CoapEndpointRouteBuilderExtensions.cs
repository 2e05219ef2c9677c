using CoAP.NET;
using CoAP.NET.AspNetCore;
using CoAP.NET.AspNetCore.Endpoints;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Serves endpoints of a web application over CoAP too.</summary>
public static class CoapEndpointRouteBuilderExtensions
{
    /// <summary>
    /// Serves the endpoints of the application that say <c>WithCoap</c> over CoAP as well, by the server of <c>AddCoapServer</c>: with the
    /// same handlers, binding, filters, services and authorization. Endpoints may be mapped before or after this call. What cannot be
    /// served over CoAP keeps the application from starting, with the reason.
    /// </summary>
    /// <param name="endpoints">The web application.</param>
    /// <param name="configure">Server, bounds, identities.</param>
    /// <returns>
    /// The CoAP routes, to say what holds for all of them, such as <c>RequireTransportSecurity</c>. Handlers run on the thread pool, unless
    /// it says otherwise.
    /// </returns>
    /// <exception cref="ArgumentException">It is a group: call this on the application, and <c>WithCoap</c> on the group.</exception>
    /// <exception cref="InvalidOperationException">There is no CoAP server of that name.</exception>
    public static CoapRouteGroup MapCoap(this IEndpointRouteBuilder endpoints, Action<CoapEndpointMappingOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        if (endpoints is RouteGroupBuilder)
        {
            throw new ArgumentException(
                "A group does not know the path that it is at. Call MapCoap on the application, and WithCoap on the group.",
                nameof(endpoints));
        }

        CoapEndpointMappingOptions options = new();
        configure?.Invoke(options);
        CoapServer server = endpoints.ServiceProvider.GetKeyedService<CoapServer>(options.Server)
            ?? (options.Server.Length == 0 ? endpoints.ServiceProvider.GetService<CoapServer>() : null)
            ?? throw new InvalidOperationException(options.Server.Length == 0
                ? "There is no CoapServer in the container. Call builder.Services.AddCoapServer()."
                : $"There is no CoapServer '{options.Server}' in the container. Call "
                    + $"builder.Services.AddCoapServer(\"{options.Server}\").");
        EndpointMapping mapping = new(endpoints, server, options);
        mapping.MapWhenStarting();
        return mapping.Routes;
    }
}
