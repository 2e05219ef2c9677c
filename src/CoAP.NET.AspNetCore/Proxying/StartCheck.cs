using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>Keeps a proxy from being served to anybody because nobody said who may use it.</summary>
internal static class StartCheck
{
    public static void RequireAuthorization(IServiceProvider services, IEndpointConventionBuilder mapped)
    {
        bool hasFallback = services.GetService<IOptions<AuthorizationOptions>>()?.Value.FallbackPolicy is not null;
        mapped.Finally(endpoint =>
        {
            bool isOpen = endpoint.Metadata.OfType<IAllowAnonymous>().Any();
            if (isOpen || (!hasFallback && !endpoint.Metadata.OfType<IAuthorizeData>().Any()
                && !endpoint.Metadata.OfType<AuthorizationPolicy>().Any()))
            {
                throw new InvalidOperationException(
                    $"{endpoint.DisplayName} is a proxy to CoAP servers that anybody might use. Add RequireAuthorization(), or set "
                    + "AllowAnonymous of its options if that is meant (RFC 8075 section 10).");
            }
        });

        // Endpoints are built with the first request; whoever starts the application is told before.
        if (services.GetService<IHostApplicationLifetime>() is { } lifetime)
        {
            lifetime.ApplicationStarted.Register(() => Check(services, lifetime));
        }
    }

    /// <summary>Ends an application that cannot be served, so that who runs it sees that it failed: it ended in order otherwise.</summary>
    public static void EndWithFailure(IHostApplicationLifetime lifetime)
    {
        Environment.ExitCode = 1;
        lifetime.StopApplication();
    }

    private static void Check(IServiceProvider services, IHostApplicationLifetime lifetime)
    {
        try
        {
            _ = services.GetService<EndpointDataSource>()?.Endpoints;
        }
        catch (InvalidOperationException exception)
        {
            if (services.GetService<ILoggerFactory>() is { } loggers)
            {
                ProxyLog.RefusedAtStart(loggers.CreateLogger(ProxyLog.Category), exception.Message);
            }

            EndWithFailure(lifetime);
        }
    }
}
