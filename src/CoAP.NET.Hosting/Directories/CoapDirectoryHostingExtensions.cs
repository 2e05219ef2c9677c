using CoAP.NET.Hosting;
using CoAP.NET.Hosting.Directories;
using CoAP.NET.Hosting.Server;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.ResourceDirectory;

/// <summary>Maps a Resource Directory (RFC 9176) to hosted servers.</summary>
/// <remarks>
/// In the namespace of <see cref="CoapDirectoryRoutes"/>, whose methods take the same builder as <see cref="ICoapRouteBuilder"/>: the
/// compiler always sees both.
/// </remarks>
public static class CoapDirectoryHostingExtensions
{
    /// <summary>Maps the directory of an application to one of its servers.</summary>
    /// <remarks>
    /// If the application has a cluster (<c>AddCoapState</c>), the cluster persists the registrations and the directory loads them before
    /// the server listens. Otherwise the registrations end with the process. The <see cref="CoapDirectoryServer"/> is available for
    /// injection. It uses the logger of the application, and the clock and the random source of the first server that has it.
    /// </remarks>
    /// <param name="builder">The server. All servers of an application share one directory.</param>
    /// <param name="options">The options; null for the defaults, or for the options of a previous call.</param>
    /// <returns>The group of all its routes, for further configuration such as access control.</returns>
    /// <exception cref="InvalidOperationException">A previous call had other options.</exception>
    public static CoapRouteGroup MapResourceDirectory(this ICoapServerBuilder builder, CoapDirectoryOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        HostedDirectoryBuilder hosted = HostedDirectoryBuilder.Of(builder.Services);
        hosted.Use(options);
        return Map(builder, hosted);
    }

    /// <summary>Maps the directory of an application; see
    /// <see cref="MapResourceDirectory(ICoapServerBuilder, CoapDirectoryOptions)"/>.</summary>
    /// <param name="builder">The server.</param>
    /// <param name="configure">Sets options with the services of the application. Called once, when the server is created.</param>
    /// <returns>The group of all its routes.</returns>
    public static CoapRouteGroup MapResourceDirectory(
        this ICoapServerBuilder builder, Action<CoapDirectoryOptions, IServiceProvider> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        HostedDirectoryBuilder hosted = HostedDirectoryBuilder.Of(builder.Services);
        hosted.Steps.Add(configure);
        return Map(builder, hosted);
    }

    private static CoapRouteGroup Map(ICoapServerBuilder builder, HostedDirectoryBuilder hosted)
    {
        CoapRouteGroup group = CoapDirectoryRoutes.GroupOf(builder);
        builder.ConfigureServer((server, services) =>
        {
            hosted.Server ??= server;
            CoapDirectoryServer directory = services.GetRequiredService<CoapDirectoryServer>();
            CoapDirectoryRoutes.Map(group, directory);
            HostedServerLookup.TryPrepareStart(services, server, directory.Core.StartPatientlyAsync);
        });
        return group;
    }
}
