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

/// <summary>Serves HTTP clients with resources of CoAP servers (RFC 8075).</summary>
public static class CoapProxyEndpointRouteBuilderExtensions
{
    private static readonly HttpOnlyMark s_httpOnly =
        new("It is a proxy for clients of HTTP. Those of CoAP are served by CoapProxy: MapForwardProxy or MapReverseProxy.");

    /// <summary>
    /// Maps a proxy between HTTP and CoAP: clients write behind its path which CoAP resource they ask for, as in
    /// <c>/hc/coap://s.example.com/light</c>. Whom they may ask for is said by <see cref="CoapHttpProxyOptions.Targets"/>, and is nobody by
    /// default. The application stops when nothing says who may use it; add <c>RequireAuthorization</c>.
    /// </summary>
    /// <param name="endpoints">The web application.</param>
    /// <param name="pattern">The path, such as <c>/hc/{**target}</c>; the catch-all stands for the target, whatever its name.</param>
    /// <param name="configure">Targets, template, time limits.</param>
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
                "is a proxy to CoAP servers that anybody might use. Add RequireAuthorization(), or set AllowAnonymous of its options if that "
                    + "is meant (RFC 8075 section 10).",
                static (loggers, reason) => ProxyLog.RefusedAtStart(loggers.CreateLogger(ProxyLog.Category), reason));
        }

        return mapped;
    }

    /// <summary>Serves a resource of a CoAP server at a path, for all methods that CoAP has.</summary>
    /// <param name="endpoints">The web application.</param>
    /// <param name="pattern">The path, such as <c>/lights/{id}</c>.</param>
    /// <param name="target">
    /// The URI of the resource, such as <c>coap://[2001:db8::5]/lights/{id}</c>. Parameters of the route may stand in its path and query,
    /// and are escaped; the query of the request is appended.
    /// </param>
    /// <param name="configure">Client, time limit.</param>
    /// <returns>The endpoint, for conventions such as <c>RequireAuthorization</c>.</returns>
    /// <exception cref="ArgumentException">The target is no URI of CoAP, or has a parameter in the place of its host.</exception>
    public static IEndpointConventionBuilder MapCoapResource(
        this IEndpointRouteBuilder endpoints, string pattern, string target, Action<CoapHttpResourceOptions>? configure = null) =>
        MapCoapResource(endpoints, pattern, new ResourceTarget(target).For, configure);

    /// <summary>Serves a resource of a CoAP server at a path, for all methods that CoAP has.</summary>
    /// <param name="endpoints">The web application.</param>
    /// <param name="pattern">The path, such as <c>/devices/{id}/light</c>.</param>
    /// <param name="target">
    /// Finds the resource for a request; null is answered 404. It decides alone whom the request goes to: let clients choose from what is
    /// known, never write a host.
    /// </param>
    /// <param name="configure">Client, time limit.</param>
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
        ICoapObserver? client = options.Client ?? services.GetService<CoapClient>();
        if (client is null)
        {
            CoapClient own = new();
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
    /// Serves the resources of devices that have a connection or a session with a CoAP server of this process, such as those behind an
    /// address translator: a command to a device is a request of HTTP.
    /// </summary>
    /// <param name="endpoints">The web application.</param>
    /// <param name="pattern">The path, such as <c>/devices/{id}/{**path}</c>; the catch-all is the path that the device is asked
    /// for.</param>
    /// <param name="device">
    /// Finds the device for a request, such as a <see cref="CoapRequest.Peer"/> that was kept when it registered; null when it is not
    /// there, which is answered 502.
    /// </param>
    /// <param name="configure">Time limit, tables. Its <see cref="CoapHttpResourceOptions.Client"/> is not used.</param>
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
    /// Serves the list of the proxies of the application at <c>/.well-known/core</c>, as links of the type <c>core.hc</c> (RFC 8075 section
    /// 5.5). A query such as <c>?rt=core.hc</c> filters it (RFC 6690 section 4.1).
    /// </summary>
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
