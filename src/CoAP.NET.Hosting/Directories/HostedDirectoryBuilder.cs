using System.Diagnostics.Metrics;
using CoAP.NET.ResourceDirectory;
using CoAP.NET.Settings;
using CoAP.NET.Tables;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Hosting.Directories;

/// <summary>The configuration of an application's directory before it is created.</summary>
internal sealed class HostedDirectoryBuilder
{
    private CoapDirectoryOptions? _options;

    /// <summary>Steps that set options with the services of the application.</summary>
    public List<Action<CoapDirectoryOptions, IServiceProvider>> Steps { get; } = [];

    /// <summary>The first server that has the directory; null before it is created.</summary>
    public CoapServer? Server { get; set; }

    /// <summary>Returns the directory of an application, and adds it if there is none.</summary>
    public static HostedDirectoryBuilder Of(IServiceCollection services)
    {
        HostedDirectoryBuilder? known = services.Select(static service => service.IsKeyedService ? null : service.ImplementationInstance)
            .OfType<HostedDirectoryBuilder>().FirstOrDefault();
        if (known is not null)
        {
            return known;
        }

        HostedDirectoryBuilder hosted = new();
        services.AddSingleton(hosted);
        services.TryAddSingleton(hosted.Make);
        return hosted;
    }

    /// <summary>Sets the options.</summary>
    /// <param name="options">The options; null for the existing ones.</param>
    /// <exception cref="InvalidOperationException">Other options exist.</exception>
    public void Use(CoapDirectoryOptions? options)
    {
        if (options is not null && _options is not null && options != _options)
        {
            throw new InvalidOperationException(
                "The directory of this application already has other options. Pass them once, and map further servers without options.");
        }

        _options ??= options;
    }

    private CoapDirectoryServer Make(IServiceProvider services)
    {
        CoapDirectoryOptions options = (_options ?? new CoapDirectoryOptions()).MakeReadOnlyFor("a hosted directory").Copy();
        options = Server is { } server ? options.Of(server.Routes) : options;
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

        return services.GetService<ICoapReplicatedTableProvider>() is { } tables
            ? new CoapDirectoryServer(tables, options)
            : new CoapDirectoryServer(options);
    }
}
