using CoAP.NET;
using CoAP.NET.AspNetCore;
using CoAP.NET.Explorer;
using CoAP.NET.Explorer.Dashboard;
using CoAP.NET.Explorer.Exploring;
using CoAP.NET.Explorer.Pages;
using CoAP.NET.Settings;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Maps the pages of the explorer and the dashboard.</summary>
public static class CoapExplorerEndpointRouteBuilderExtensions
{
    /// <summary>
    /// Maps the explorer: a page that shows the resources of CoAP servers, sends requests, observes, and shows messages byte by byte.
    /// </summary>
    /// <remarks>
    /// <see cref="CoapExplorerOptions.Targets"/> allows the targets; by default the page only reaches the application's own server. The
    /// application stops if the page has no authorization; add <c>RequireAuthorization</c>.
    /// </remarks>
    /// <param name="endpoints">The web application.</param>
    /// <param name="pattern">The path of the page, such as <c>/coap</c>.</param>
    /// <param name="configure">Configures targets, credentials and limits.</param>
    /// <returns>The endpoints, for conventions such as <c>RequireAuthorization</c>.</returns>
    /// <exception cref="ArgumentException"><paramref name="pattern"/> is empty.</exception>
    public static IEndpointConventionBuilder MapCoapExplorer(
        this IEndpointRouteBuilder endpoints, string pattern, Action<CoapExplorerOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentException.ThrowIfNullOrEmpty(pattern);
        CoapExplorerOptions options = new();
        configure?.Invoke(options);
        options.MakeReadOnly("a page of the application");
        IServiceProvider services = endpoints.ServiceProvider;
        ExplorerApi api = new(
            options,
            services.GetService<CoapServer>(),
            services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance,
            services.GetService<TimeProvider>() ?? TimeProvider.System);
        services.GetService<IHostApplicationLifetime>()?.ApplicationStopped.Register(() =>
            api.DisposeAsync().AsTask().GetAwaiter().GetResult());
        RouteGroupBuilder group = endpoints.MapGroup(pattern);
        PageGuard guard = new(options.Token, options.AllowedHosts, options.AllowAnonymous);
        group.AddEndpointFilter(guard.CheckAsync);
        PageFiles.Of("explorer").Map(group);
        api.Map(group);
        if (!options.AllowAnonymous)
        {
            AuthorizationStartupCheck.RequireAuthorization(
                services,
                group,
                $"MapCoapExplorer(\"{pattern}\") sends requests to CoAP servers without authorization. Add RequireAuthorization() to its "
                    + "result, or set AllowAnonymous in its options if that is intended.",
                static (loggers, reason) => ExplorerLog.RefusedAtStart(loggers.CreateLogger(ExplorerLog.Category), reason));
        }

        return group;
    }

    /// <summary>
    /// Maps a page with live figures of a CoAP server of this process: rates, latency, peers, observers, drops, use of its limits, and the
    /// messages of a peer.
    /// </summary>
    /// <remarks>
    /// It costs nothing without viewers. The application stops if the page has no authorization; add <c>RequireAuthorization</c>.
    /// </remarks>
    /// <param name="endpoints">The web application.</param>
    /// <param name="pattern">The path of the page, such as <c>/coap/live</c>.</param>
    /// <param name="configure">Configures the server and the limits; null for the defaults.</param>
    /// <returns>The page with its files and calls, for conventions such as <c>RequireAuthorization</c>.</returns>
    /// <exception cref="InvalidOperationException">There is no such server: <see cref="CoapDashboardOptions.Endpoint"/> is null, and the
    /// container has no server with this <see cref="CoapDashboardOptions.ServerName"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="pattern"/> is empty.</exception>
    public static RouteGroupBuilder MapCoapDashboard(
        this IEndpointRouteBuilder endpoints, string pattern, Action<CoapDashboardOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentException.ThrowIfNullOrEmpty(pattern);
        CoapDashboardOptions options = new();
        configure?.Invoke(options);
        options.MakeReadOnly("a page of the application");
        IServiceProvider services = endpoints.ServiceProvider;
        DashboardPage page = new(options, services);
        RouteGroupBuilder group = endpoints.MapGroup(pattern);
        PageFiles.Of("dashboard").Map(group);
        group.MapPost("/api/live", page.ShowAsync).WithDisplayName("Live figures of the CoAP dashboard");
        group.MapPost("/api/peers", page.ListPeersAsync).WithDisplayName("Peers of the CoAP dashboard");
        group.MapPost("/api/trace", page.TraceAsync).WithDisplayName("Traces of the CoAP dashboard");
        PageGuard guard = new(token: null, options.AllowedHosts, options.AllowAnonymous);
        group.AddEndpointFilter(guard.CheckAsync);
        if (!options.AllowAnonymous)
        {
            AuthorizationStartupCheck.RequireAuthorization(
                services,
                group,
                $"MapCoapDashboard(\"{pattern}\") shows peers of a CoAP server and their messages without authorization. Add "
                    + "RequireAuthorization() to its result, or set AllowAnonymous in its options if that is intended.",
                static (loggers, reason) => DashboardLog.DashboardRefused(loggers.CreateLogger(DashboardLog.Category), reason));
        }

        return group;
    }
}
