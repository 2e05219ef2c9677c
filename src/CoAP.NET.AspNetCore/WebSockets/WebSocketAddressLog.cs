using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.AspNetCore.WebSockets;

/// <summary>Logs the URI of CoAP over WebSockets once the web application knows its addresses.</summary>
internal static partial class WebSocketAddressLog
{
    private const string Category = "CoAP.NET.AspNetCore";

    /// <summary>Logs it when the application has started.</summary>
    /// <param name="services">The services of the application.</param>
    /// <param name="mapped">The mapped endpoint.</param>
    /// <param name="pattern">The mapped path, without those of outer groups.</param>
    public static void WhenStarted(IServiceProvider services, IEndpointConventionBuilder mapped, string pattern)
    {
        if (services.GetService<IHostApplicationLifetime>() is not { } lifetime || services.GetService<ILoggerFactory>() is not { } loggers)
        {
            return;
        }

        // With the prefixes of groups, once the endpoint is built, which may happen as late as the first request.
        mapped.Finally(endpoint => pattern = (endpoint as RouteEndpointBuilder)?.RoutePattern.RawText ?? pattern);
        lifetime.ApplicationStarted.Register(() =>
        {
            _ = services.GetService<EndpointDataSource>()?.Endpoints;
            ICollection<string> addresses = services.GetService<IServer>()?.Features.Get<IServerAddressesFeature>()?.Addresses ?? [];
            Mapped(loggers.CreateLogger(Category), pattern.StartsWith('/') ? pattern : "/" + pattern,
                addresses.Count == 0 ? "the web application" : string.Join(", ", addresses));
        });
    }

    [LoggerMessage(1850, LogLevel.Information, "CoAP over WebSockets is served at {Path} of {Addresses}.")]
    private static partial void Mapped(ILogger logger, string path, string addresses);
}
