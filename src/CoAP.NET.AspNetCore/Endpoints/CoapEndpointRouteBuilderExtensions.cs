using CoAP.NET;
using CoAP.NET.AspNetCore;
using CoAP.NET.AspNetCore.Endpoints;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Serves endpoints of a web application over CoAP as well.</summary>
public static class CoapEndpointRouteBuilderExtensions
{
    /// <summary>Serves the endpoints with <c>WithCoap</c> over CoAP as well, on the server from <c>AddCoapServer</c>.</summary>
    /// <remarks>
    /// They keep their handlers, binding, filters, services and authorization. Map endpoints before or after this call. If an endpoint
    /// cannot be served over CoAP, the application does not start and reports the reason.
    /// </remarks>
    /// <param name="endpoints">The web application.</param>
    /// <param name="configure">Configures the server, the limits and the identities.</param>
    /// <returns>The CoAP routes, for configuration of all of them, such as <c>RequireTransportSecurity</c>. By default handlers run on the
    /// thread pool.</returns>
    /// <exception cref="ArgumentException"><paramref name="endpoints"/> is a group. Call this on the application, and <c>WithCoap</c> on
    /// the group.</exception>
    /// <exception cref="InvalidOperationException">There is no CoAP server with that name.</exception>
    public static CoapRouteGroup MapCoap(this IEndpointRouteBuilder endpoints, Action<CoapEndpointMappingOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        if (endpoints is RouteGroupBuilder)
        {
            throw new ArgumentException(
                "A group does not know its full path. Call MapCoap on the application, and WithCoap on the group.",
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
