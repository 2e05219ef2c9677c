using CoAP.NET;
using CoAP.NET.AspNetCore;
using CoAP.NET.AspNetCore.Endpoints;
using CoAP.NET.AspNetCore.Proxying;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Serves resources of CoAP servers to HTTP clients (RFC 8075).</summary>
public static class CoapProxyEndpointRouteBuilderExtensions
{
    private static readonly HttpOnlyMark s_httpOnly =
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
    /// <param name="pattern">The path, such as <c>/hc/{**target}</c>; the catch-all with any name stands for the target.</param>
    /// <param name="configure">Configures targets, template and time limits.</param>
    /// <returns>The endpoint, for conventions such as <c>RequireAuthorization</c> and <c>RequireRateLimiting</c>.</returns>
    public static IEndpointConventionBuilder MapCoapProxy(this IEndpointRouteBuilder endpoints, string pattern,
        Action<CoapHttpProxyOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentException.ThrowIfNullOrEmpty(pattern);
        CoapHttpProxyOptions options = new();
        configure?.Invoke(options);
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
            StartCheck.RequireAuthorization(
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
        MapCoapResource(endpoints, pattern, new ResourceTarget(target).For, configure);

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
        IServiceProvider services = endpoints.ServiceProvider;
        IHostApplicationLifetime? lifetime = services.GetService<IHostApplicationLifetime>();
        ICoapObserver? client = options.Client ?? services.GetService<ICoapClient>() ?? services.GetService<CoapClient>();
        if (client is null)
        {
            CoapClient own = new(OptionsOf(services));
            lifetime?.ApplicationStopped.Register(() => own.DisposeAsync().AsTask().GetAwaiter().GetResult());
            client = own;
        }

        HttpExchanges exchanges = new(
            client, options, fillsCache: false, services.GetService<TimeProvider>() ?? TimeProvider.System, LoggerOf(services));
        lifetime?.ApplicationStopped.Register(exchanges.Dispose);
        ResourceEndpoint resource = new(exchanges, new HttpPlaces(options), target);
        return endpoints.Map(pattern, resource.HandleAsync).WithMetadata(s_httpOnly);
    }

    /// <summary>
    /// Maps a path to devices that have a connection or session with a CoAP server of this process, such as those behind a NAT.
    /// </summary>
    /// <remarks>An HTTP request becomes a command to a device.</remarks>
    /// <param name="endpoints">The web application.</param>
    /// <param name="pattern">The path, such as <c>/devices/{id}/{**path}</c>; the catch-all is the path at the device.</param>
    /// <param name="device">Finds the device for a request, such as a <see cref="CoapRequest.Peer"/> stored at its registration. Null means
    /// that the device is not connected; the client gets 502.</param>
    /// <param name="configure">Configures the time limit and the tables. <see cref="CoapHttpResourceOptions.Client"/> is unused.</param>
    /// <returns>The endpoint, for conventions such as <c>RequireAuthorization</c>.</returns>
    public static IEndpointConventionBuilder MapCoapDevices(
        this IEndpointRouteBuilder endpoints, string pattern, Func<HttpContext, CoapPeer?> device,
            Action<CoapHttpResourceOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentException.ThrowIfNullOrEmpty(pattern);
        ArgumentNullException.ThrowIfNull(device);
        CoapHttpResourceOptions options = new();
        configure?.Invoke(options);
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
        Random = services.GetService<CoapRandomSource>() ?? CoapRandomSource.Secure,
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
}
