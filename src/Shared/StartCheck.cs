using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace CoAP.NET.AspNetCore;

/// <summary>Keeps what is dangerous in the hands of strangers from being served to them because nobody said who may use it.</summary>
internal static class StartCheck
{
    /// <summary>Has the application end when nothing says who may use what was mapped.</summary>
    /// <param name="services">The container.</param>
    /// <param name="mapped">What was mapped.</param>
    /// <param name="reason">Why it matters and what to do, behind the name of an endpoint.</param>
    /// <param name="refused">Tells why the application ends.</param>
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
                throw new InvalidOperationException($"{endpoint.DisplayName} {reason}");
            }
        });

        // Endpoints are built with the first request; whoever starts the application is told before.
        if (services.GetService<IHostApplicationLifetime>() is { } lifetime)
        {
            lifetime.ApplicationStarted.Register(() => Check(services, lifetime, refused));
        }
    }

    /// <summary>Ends an application that cannot be served, so that who runs it sees that it failed: it ended in order otherwise.</summary>
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
