using CoAP.NET;
using CoAP.NET.AspNetCore;
using CoAP.NET.AspNetCore.Endpoints;
using CoAP.NET.AspNetCore.Proxying;
using CoAP.NET.AspNetCore.WebSockets;
using CoAP.NET.Cryptography;
using CoAP.NET.Settings;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Maps CoAP in a web application: endpoints over CoAP, resources of CoAP servers over HTTP, CoAP over WebSockets.</summary>
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
        options.MakeReadOnly("an endpoint of the application");
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
        CoapServingMetadata mark = new(IsServed: true, configure);
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
        CoapServingMetadata mark = new(IsServed: false, null);
        builder.Add(endpoint => endpoint.Metadata.Add(mark));
        return builder;
    }

    private static readonly HttpOnlyMetadata s_httpOnly =
        new("It is a proxy for HTTP clients. Use CoapProxy for CoAP clients: MapForwardProxy or MapReverseProxy.");

    /// <summary>
    /// Maps a proxy between HTTP and CoAP: clients append the URI of a CoAP resource to its path, as in
    /// <c>/hc/coap://s.example.com/light</c>.
    /// </summary>
    /// <remarks>
    /// <see cref="CoapHttpProxyOptions.Targets"/> allows the targets; by default there are none. The application stops if the proxy has no
    /// authorization; add <c>RequireAuthorization</c>.
    /// </remarks>
    /// <param name="endpoints">The web application.</param>
    /// <param name="pattern">The path, such as <c>/hc/{**target}</c>; the catch-all, with any name, is the target.</param>
    /// <param name="configure">Configures targets, template and time limits.</param>
    /// <returns>The endpoint, for conventions such as <c>RequireAuthorization</c> and <c>RequireRateLimiting</c>.</returns>
    /// <exception cref="ArgumentException"><paramref name="pattern"/> is empty.</exception>
    public static IEndpointConventionBuilder MapCoapProxy(this IEndpointRouteBuilder endpoints, string pattern,
        Action<CoapHttpProxyOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentException.ThrowIfNullOrEmpty(pattern);
        CoapHttpProxyOptions options = new();
        configure?.Invoke(options);
        options.MakeReadOnly("an endpoint of the application");
        IServiceProvider services = endpoints.ServiceProvider;
        ProxyEndpoint proxy = new(
            options, services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance,
                services.GetService<TimeProvider>() ?? TimeProvider.System);
        services.GetService<IHostApplicationLifetime>()?.ApplicationStopped.Register(() =>
            proxy.DisposeAsync().AsTask().GetAwaiter().GetResult());
        IEndpointConventionBuilder mapped = endpoints.Map(pattern, proxy.HandleAsync)
            .WithMetadata(new CoapProxyMetadata(options.Template), s_httpOnly);
        if (!options.AllowAnonymous)
        {
            AuthorizationStartupCheck.RequireAuthorization(
                services,
                mapped,
                $"MapCoapProxy(\"{pattern}\") is a proxy to CoAP servers without authorization. Add RequireAuthorization() to its result, "
                    + "or set AllowAnonymous in its options if that is intended (RFC 8075 section 10).",
                static (loggers, reason) => ProxyLog.RefusedAtStart(loggers.CreateLogger(ProxyLog.Category), reason));
        }

        return mapped;
    }

    /// <summary>Maps a path to a resource of a CoAP server, for all methods of CoAP.</summary>
    /// <param name="endpoints">The web application.</param>
    /// <param name="pattern">The path, such as <c>/lights/{id}</c>.</param>
    /// <param name="target">The URI of the resource, such as <c>coap://[2001:db8::5]/lights/{id}</c>. Its path and query may contain route
    /// parameters, whose values are escaped; the query of the request is appended.</param>
    /// <param name="configure">Configures the client and the time limit.</param>
    /// <returns>The endpoint, for conventions such as <c>RequireAuthorization</c>.</returns>
    /// <exception cref="ArgumentException">The target is not a CoAP URI, or has a parameter as its host.</exception>
    public static IEndpointConventionBuilder MapCoapResource(
        this IEndpointRouteBuilder endpoints, string pattern, string target, Action<CoapHttpResourceOptions>? configure = null) =>
        MapCoapResource(endpoints, pattern, new ResourceUriTemplate(target).For, configure);

    /// <summary>Maps a path to a resource of a CoAP server that a callback selects, for all methods of CoAP.</summary>
    /// <param name="endpoints">The web application.</param>
    /// <param name="pattern">The path, such as <c>/devices/{id}/light</c>.</param>
    /// <param name="target">Finds the resource for a request; null for 404. It alone decides about the destination: select from known
    /// resources, and never let clients write a host.</param>
    /// <param name="configure">Configures the client and the time limit.</param>
    /// <returns>The endpoint, for conventions such as <c>RequireAuthorization</c>.</returns>
    public static IEndpointConventionBuilder MapCoapResource(
        this IEndpointRouteBuilder endpoints, string pattern, Func<HttpContext, CoapUri?> target,
            Action<CoapHttpResourceOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentException.ThrowIfNullOrEmpty(pattern);
        ArgumentNullException.ThrowIfNull(target);
        CoapHttpResourceOptions options = new();
        configure?.Invoke(options);
        options.MakeReadOnly("an endpoint of the application");
        IServiceProvider services = endpoints.ServiceProvider;
        IHostApplicationLifetime? lifetime = services.GetService<IHostApplicationLifetime>();
        ICoapClient? client = options.Client ?? services.GetService<ICoapClient>() ?? services.GetService<CoapClient>();
        if (client is null)
        {
            CoapClient own = new(OptionsOf(services));
            lifetime?.ApplicationStopped.Register(() => own.DisposeAsync().AsTask().GetAwaiter().GetResult());
            client = own;
        }

        HttpToCoapResponder exchanges = new(
            client, options, fillsCache: false, services.GetService<TimeProvider>() ?? TimeProvider.System, LoggerOf(services));
        lifetime?.ApplicationStopped.Register(exchanges.Dispose);
        ProxiedResourceEndpoint resource = new(exchanges, new HttpRequestLimiter(options), target);
        return endpoints.Map(pattern, resource.HandleAsync).WithMetadata(s_httpOnly);
    }

    /// <summary>
    /// Maps a path to devices that have a connection or session with a CoAP server of this process, such as those behind a NAT.
    /// </summary>
    /// <remarks>An HTTP request becomes a command to a device.</remarks>
    /// <param name="endpoints">The web application.</param>
    /// <param name="pattern">The path, such as <c>/devices/{id}/{**path}</c>; the catch-all is the path at the device.</param>
    /// <param name="device">Finds the device for a request, such as a <see cref="CoapRequestContext.Peer"/> stored at its registration.
    /// Null means that the device is not connected; the client gets 502.</param>
    /// <param name="configure">Configures the time limit and the tables. <see cref="CoapHttpResourceOptions.Client"/> is unused.</param>
    /// <returns>The endpoint, for conventions such as <c>RequireAuthorization</c>.</returns>
    /// <exception cref="ArgumentException"><paramref name="pattern"/> is empty.</exception>
    public static IEndpointConventionBuilder MapCoapDevices(
        this IEndpointRouteBuilder endpoints, string pattern, Func<HttpContext, CoapPeer?> device,
            Action<CoapHttpResourceOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentException.ThrowIfNullOrEmpty(pattern);
        ArgumentNullException.ThrowIfNull(device);
        CoapHttpResourceOptions options = new();
        configure?.Invoke(options);
        options.MakeReadOnly("an endpoint of the application");
        IServiceProvider services = endpoints.ServiceProvider;
        TimeProvider clock = services.GetService<TimeProvider>() ?? TimeProvider.System;
        return endpoints.Map(pattern, new DeviceEndpoint(options, device, clock, LoggerOf(services)).HandleAsync).WithMetadata(s_httpOnly);
    }

    /// <summary>
    /// Maps the list of the application's proxies to <c>/.well-known/core</c>, as links of the type <c>core.hc</c> (RFC 8075 section 5.5).
    /// </summary>
    /// <remarks>A query such as <c>?rt=core.hc</c> filters it (RFC 6690 section 4.1).</remarks>
    /// <param name="endpoints">The web application.</param>
    /// <returns>The endpoint, for conventions.</returns>
    public static IEndpointConventionBuilder MapCoapProxyDiscovery(this IEndpointRouteBuilder endpoints)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        return endpoints.MapGet("/.well-known/core", static (HttpContext context) =>
        {
            IEnumerable<CoapLink> links = context.RequestServices.GetRequiredService<EndpointDataSource>().Endpoints
                .OfType<RouteEndpoint>()
                .Where(static endpoint => endpoint.Metadata.GetMetadata<CoapProxyMetadata>() is not null)
                .Select(LinkTo);
            IEnumerable<string> queries =
                context.Request.Query.SelectMany(static pair => pair.Value.Select(value => $"{pair.Key}={value}"));
            context.Response.ContentType = "application/link-format";
            return context.Response.WriteAsync(CoapLinkFormat.Format(CoapLinkFormat.Filter(links, queries)), context.RequestAborted);
        }).WithMetadata(s_httpOnly);
    }

    // The options of a client that the application did not add.
    private static CoapEndpointOptions OptionsOf(IServiceProvider services) => new()
    {
        LoggerFactory = services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance,
        TimeProvider = services.GetService<TimeProvider>() ?? TimeProvider.System,
        Pipeline = { Random = services.GetService<CoapRandomSource>() ?? CoapRandomSource.Secure },
    };

    private static ILogger LoggerOf(IServiceProvider services) =>
        (services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance).CreateLogger(ProxyLog.Category);

    private static CoapLink LinkTo(RouteEndpoint endpoint)
    {
        string pattern = endpoint.RoutePattern.RawText ?? "/";
        int parameter = pattern.IndexOf('{', StringComparison.Ordinal);
        string path = parameter < 0 ? pattern : pattern[..parameter];
        return new CoapLink(
            path.StartsWith('/') ? path : "/" + path,
            new CoapLinkAttribute("rt", "core.hc"),
            new CoapLinkAttribute("hct", endpoint.Metadata.GetMetadata<CoapProxyMetadata>()!.Template));
    }

    /// <summary>Serves the <see cref="CoapServer"/> of the container over WebSockets, in addition to its own addresses.</summary>
    /// <remarks>The server of <c>AddCoapServer</c> keeps its UDP address unless its option <c>ListenByDefault</c> is false.</remarks>
    /// <param name="endpoints">The web application.</param>
    /// <param name="pattern">The path. Default <c>/.well-known/coap</c>, which clients expect (RFC 8323 section
    /// 4.1).</param>
    /// <param name="configure">Configures origins and identities.</param>
    /// <returns>The endpoint, for conventions such as <c>RequireAuthorization</c> and <c>RequireRateLimiting</c>.</returns>
    /// <exception cref="ArgumentException"><paramref name="pattern"/> is empty.</exception>
    /// <exception cref="PlatformNotSupportedException">On Linux: there is no OpenSSL, which ASP.NET Core needs for WebSockets.</exception>
    public static IEndpointConventionBuilder MapCoapWebSocket(
        this IEndpointRouteBuilder endpoints, string pattern = CoapWebSocketOptions.DefaultPath,
        Action<CoapWebSocketEndpointOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        return MapWebSocket(endpoints, pattern, new ConnectionServerResolver(endpoints.ServiceProvider), configure);
    }

    /// <summary>Serves a server over WebSockets.</summary>
    /// <remarks>
    /// The first connection starts the server, unless it is already started. It binds no address of its own unless it is configured to
    /// listen.
    /// </remarks>
    /// <param name="endpoints">The web application.</param>
    /// <param name="server">The server.</param>
    /// <param name="pattern">The path. Default <c>/.well-known/coap</c>, which clients expect (RFC 8323 section
    /// 4.1).</param>
    /// <param name="configure">Configures origins and identities.</param>
    /// <returns>The endpoint, for conventions such as <c>RequireAuthorization</c> and <c>RequireRateLimiting</c>.</returns>
    /// <exception cref="ArgumentException"><paramref name="pattern"/> is empty.</exception>
    /// <exception cref="PlatformNotSupportedException">On Linux: there is no OpenSSL, which ASP.NET Core needs for WebSockets.</exception>
    public static IEndpointConventionBuilder MapCoapWebSocket(
        this IEndpointRouteBuilder endpoints, CoapServer server, string pattern = CoapWebSocketOptions.DefaultPath,
        Action<CoapWebSocketEndpointOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(server);
        return MapWebSocket(endpoints, pattern, new ConnectionServerResolver(server, endpoints.ServiceProvider), configure);
    }

    /// <summary>Serves an endpoint over WebSockets. The first connection starts it, unless it is already started.</summary>
    /// <param name="endpoints">The web application.</param>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="pattern">The path. Default <c>/.well-known/coap</c>, which clients expect (RFC 8323 section
    /// 4.1).</param>
    /// <param name="configure">Configures origins and identities.</param>
    /// <returns>The endpoint of the web application, for conventions such as <c>RequireAuthorization</c> and
    /// <c>RequireRateLimiting</c>.</returns>
    /// <exception cref="ArgumentException"><paramref name="pattern"/> is empty.</exception>
    /// <exception cref="PlatformNotSupportedException">On Linux: there is no OpenSSL, which ASP.NET Core needs for WebSockets.</exception>
    public static IEndpointConventionBuilder MapCoapWebSocket(
        this IEndpointRouteBuilder endpoints, CoapEndpoint endpoint, string pattern = CoapWebSocketOptions.DefaultPath,
        Action<CoapWebSocketEndpointOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(endpoint);
        return MapWebSocket(endpoints, pattern, new ConnectionServerResolver(endpoint, endpoints.ServiceProvider), configure);
    }

    private static IEndpointConventionBuilder MapWebSocket(IEndpointRouteBuilder endpoints, string pattern, ConnectionServerResolver server,
        Action<CoapWebSocketEndpointOptions>? configure)
    {
        ArgumentException.ThrowIfNullOrEmpty(pattern);

        // Also without TLS: ASP.NET Core computes the handshake of a WebSocket with SHA-1.
        PlatformCryptographyAvailability.ThrowIfMissing("CoAP over WebSockets");
        CoapWebSocketEndpointOptions options = new();
        configure?.Invoke(options);
        options.MakeReadOnly("an endpoint of the application");
        CancellationToken stopping = endpoints.ServiceProvider.GetService<IHostApplicationLifetime>()?.ApplicationStopping
            ?? CancellationToken.None;
        WebSocketHandler handler = new(server, options, stopping);

        // The WebSocket middleware runs for this endpoint only; applications need not add it.
        IApplicationBuilder application = endpoints.CreateApplicationBuilder();
        application.UseWebSockets();
        application.Run(handler.HandleAsync);

        // All methods: over HTTP/2 it is CONNECT (RFC 8441).
        IEndpointConventionBuilder mapped = endpoints.Map(pattern, application.Build()).WithDisplayName("CoAP over WebSockets")
            .WithMetadata(new HttpOnlyMetadata("It is a WebSocket endpoint of the CoAP server itself."));
        WebSocketAddressLog.WhenStarted(endpoints.ServiceProvider, mapped, pattern);
        return mapped;
    }
}
