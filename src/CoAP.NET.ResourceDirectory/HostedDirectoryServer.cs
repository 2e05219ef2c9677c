using System.Diagnostics.Metrics;
using CoAP.NET.Cluster;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.ResourceDirectory;

/// <summary>The directory of an application before it is made: what is known of how it works.</summary>
internal sealed class HostedDirectoryServer
{
    private CoapDirectoryOptions? _options;

    /// <summary>What code says of it with the services of the application.</summary>
    public List<Action<CoapDirectoryOptions, IServiceProvider>> Steps { get; } = [];

    /// <summary>That of an application, which is added if there is none.</summary>
    /// <param name="services">The services of the application.</param>
    public static HostedDirectoryServer Of(IServiceCollection services)
    {
        HostedDirectoryServer? known = services.Select(static service => service.IsKeyedService ? null : service.ImplementationInstance)
            .OfType<HostedDirectoryServer>().FirstOrDefault();
        if (known is not null)
        {
            return known;
        }

        HostedDirectoryServer hosted = new();
        services.AddSingleton(hosted);
        services.TryAddSingleton(hosted.Make);
        return hosted;
    }

    /// <summary>Takes options.</summary>
    /// <param name="options">The options; null for those which are there.</param>
    /// <exception cref="InvalidOperationException">There are others.</exception>
    public void Use(CoapDirectoryOptions? options)
    {
        if (options is not null && _options is not null && options != _options)
        {
            throw new InvalidOperationException(
                "The directory of this application has other options already. Give them once, and map it on further servers without.");
        }

        _options ??= options;
    }

    private CoapDirectoryServer Make(IServiceProvider services)
    {
        CoapDirectoryOptions options = (_options ?? new CoapDirectoryOptions()).Checked();
        options.LoggerFactory ??= services.GetService<ILoggerFactory>();
        options.MeterFactory ??= services.GetService<IMeterFactory>();
        if (options.TimeProvider == TimeProvider.System && services.GetService<TimeProvider>() is { } time)
        {
            options.TimeProvider = time;
        }

        foreach (Action<CoapDirectoryOptions, IServiceProvider> step in Steps)
        {
            step(options, services);
        }

        return services.GetService<CoapCluster>() is { } cluster
            ? new CoapDirectoryServer(cluster, options)
            : new CoapDirectoryServer(options);
    }
}
