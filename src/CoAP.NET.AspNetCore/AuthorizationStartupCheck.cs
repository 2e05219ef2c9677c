using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace CoAP.NET.AspNetCore;

/// <summary>Refuses to serve dangerous resources to all clients only because nothing restricts access to them.</summary>
internal static class AuthorizationStartupCheck
{
    /// <summary>Ends the application if no authorization is configured for the mapped resources.</summary>
    /// <param name="services">The container.</param>
    /// <param name="mapped">The mapped resources.</param>
    /// <param name="reason">The call that maps them, the reason and the remedy, as sentences.</param>
    /// <param name="refused">Reports why the application ends.</param>
    public static void RequireAuthorization(
        IServiceProvider services, IEndpointConventionBuilder mapped, string reason, Action<ILoggerFactory, string> refused)
    {
        bool hasFallback = services.GetService<IOptions<AuthorizationOptions>>()?.Value.FallbackPolicy is not null;
        mapped.Finally(endpoint =>
        {
            bool isOpen = endpoint.Metadata.OfType<IAllowAnonymous>().Any();
            if (isOpen || (!hasFallback && !endpoint.Metadata.OfType<IAuthorizeData>().Any()
                && !endpoint.Metadata.OfType<AuthorizationPolicy>().Any()))
            {
                throw new InvalidOperationException(reason);
            }
        });

        // Endpoints are built with the first request; this check reports earlier, at the start.
        if (services.GetService<IHostApplicationLifetime>() is { } lifetime)
        {
            lifetime.ApplicationStarted.Register(() => Check(services, lifetime, refused));
        }
    }

    /// <summary>Ends an application that cannot be served with a failure code; otherwise the end would look normal.</summary>
    public static void EndWithFailure(IHostApplicationLifetime lifetime)
    {
        Environment.ExitCode = 1;
        lifetime.StopApplication();
    }

    private static void Check(IServiceProvider services, IHostApplicationLifetime lifetime, Action<ILoggerFactory, string> refused)
    {
        try
        {
            _ = services.GetService<EndpointDataSource>()?.Endpoints;
        }
        catch (InvalidOperationException exception)
        {
            if (services.GetService<ILoggerFactory>() is { } loggers)
            {
                refused(loggers, exception.Message);
            }

            EndWithFailure(lifetime);
        }
    }
}
