using CoAP.NET;
using CoAP.NET.AspNetCore;
using CoAP.NET.AspNetCore.Endpoints;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Serves CoAP over WebSockets in a web application (RFC 8323 section 4).</summary>
public static class CoapWebSocketEndpointRouteBuilderExtensions
{
    /// <summary>Serves the <see cref="CoapServer"/> of the container over WebSockets, in addition to its own addresses.</summary>
    /// <remarks>The server of <c>AddCoapServer</c> keeps its UDP address unless its option <c>ListenByDefault</c> is false.</remarks>
    /// <param name="endpoints">The web application.</param>
    /// <param name="pattern">The path. Default <see cref="CoapWebSocketOptions.DefaultPath"/>, which clients expect (RFC 8323 section
    /// 4.1).</param>
    /// <param name="configure">Configures origins and identities.</param>
    /// <returns>The endpoint, for conventions such as <c>RequireAuthorization</c> and <c>RequireRateLimiting</c>.</returns>
    /// <exception cref="PlatformNotSupportedException">On Linux: there is no OpenSSL, which ASP.NET Core needs for WebSockets.</exception>
    public static IEndpointConventionBuilder MapCoapWebSocket(
        this IEndpointRouteBuilder endpoints, string pattern = CoapWebSocketOptions.DefaultPath,
        Action<CoapWebSocketEndpointOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        return Map(endpoints, pattern, new ServerSource(endpoints.ServiceProvider), configure);
    }

    /// <summary>Serves a server over WebSockets.</summary>
    /// <remarks>
    /// The first connection starts the server, unless it is already started. It binds no address of its own unless it is configured to
    /// listen.
    /// </remarks>
    /// <param name="endpoints">The web application.</param>
    /// <param name="server">The server.</param>
    /// <param name="pattern">The path. Default <see cref="CoapWebSocketOptions.DefaultPath"/>, which clients expect (RFC 8323 section
    /// 4.1).</param>
    /// <param name="configure">Configures origins and identities.</param>
    /// <returns>The endpoint, for conventions such as <c>RequireAuthorization</c> and <c>RequireRateLimiting</c>.</returns>
    /// <exception cref="PlatformNotSupportedException">On Linux: there is no OpenSSL, which ASP.NET Core needs for WebSockets.</exception>
    public static IEndpointConventionBuilder MapCoapWebSocket(
        this IEndpointRouteBuilder endpoints, CoapServer server, string pattern = CoapWebSocketOptions.DefaultPath,
        Action<CoapWebSocketEndpointOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(server);
        return Map(endpoints, pattern, new ServerSource(server, endpoints.ServiceProvider), configure);
    }

    /// <summary>Serves an endpoint over WebSockets. The first connection starts it, unless it is already started.</summary>
    /// <param name="endpoints">The web application.</param>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="pattern">The path. Default <see cref="CoapWebSocketOptions.DefaultPath"/>, which clients expect (RFC 8323 section
    /// 4.1).</param>
    /// <param name="configure">Configures origins and identities.</param>
    /// <returns>The endpoint of the web application, for conventions such as <c>RequireAuthorization</c> and
    /// <c>RequireRateLimiting</c>.</returns>
    /// <exception cref="PlatformNotSupportedException">On Linux: there is no OpenSSL, which ASP.NET Core needs for WebSockets.</exception>
    public static IEndpointConventionBuilder MapCoapWebSocket(
        this IEndpointRouteBuilder endpoints, CoapEndpoint endpoint, string pattern = CoapWebSocketOptions.DefaultPath,
        Action<CoapWebSocketEndpointOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(endpoint);
        return Map(endpoints, pattern, new ServerSource(endpoint, endpoints.ServiceProvider), configure);
    }

    private static IEndpointConventionBuilder Map(IEndpointRouteBuilder endpoints, string pattern, ServerSource server,
        Action<CoapWebSocketEndpointOptions>? configure)
    {
        ArgumentException.ThrowIfNullOrEmpty(pattern);

        // Also without TLS: ASP.NET Core computes the handshake of a WebSocket with SHA-1.
        PlatformCryptography.ThrowIfMissing("CoAP over WebSockets");
        CoapWebSocketEndpointOptions options = new();
        configure?.Invoke(options);
        CancellationToken stopping = endpoints.ServiceProvider.GetService<IHostApplicationLifetime>()?.ApplicationStopping
            ?? CancellationToken.None;
        WebSocketHandler handler = new(server, options, stopping);

        // The WebSocket middleware runs for this endpoint only; applications need not add it.
        IApplicationBuilder application = endpoints.CreateApplicationBuilder();
        application.UseWebSockets();
        application.Run(handler.HandleAsync);

        // All methods: over HTTP/2 it is CONNECT (RFC 8441).
        IEndpointConventionBuilder mapped = endpoints.Map(pattern, application.Build()).WithDisplayName("CoAP over WebSockets")
            .WithMetadata(new HttpOnlyMark("It is a WebSocket endpoint of the CoAP server itself."));
        MappingNotice.WhenStarted(endpoints.ServiceProvider, mapped, pattern);
        return mapped;
    }
}
