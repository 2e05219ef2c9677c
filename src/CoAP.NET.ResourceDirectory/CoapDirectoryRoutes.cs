using CoAP.NET.ResourceDirectory.Fetching;
using CoAP.NET.ResourceDirectory.Serving;

namespace CoAP.NET.ResourceDirectory;

/// <summary>Maps a Resource Directory (RFC 9176) to servers.</summary>
public static class CoapDirectoryRoutes
{
    /// <summary>Maps a directory that exists in this process only and does not persist registrations.</summary>
    /// <remarks>The directory uses the clock and the random source of the server, unless the options have others.</remarks>
    /// <param name="routes">The server, or a group whose filters and rules apply to the routes.</param>
    /// <param name="options">The options; null for the defaults.</param>
    /// <returns>The directory.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="InvalidOperationException">One of the paths is already mapped.</exception>
    public static CoapDirectoryServer MapResourceDirectory(this ICoapRouteBuilder routes, CoapDirectoryOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(routes);
#pragma warning disable CA2000 // the caller owns the directory
        CoapDirectoryServer directory = new((options ?? new CoapDirectoryOptions()).Of(routes.Routes));
#pragma warning restore CA2000
        routes.MapResourceDirectory(directory);
        return directory;
    }

    /// <summary>
    /// Maps a directory: registrations (<c>/rd</c>), lookups of endpoints (<c>/rd-lookup/ep</c>) and of links (<c>/rd-lookup/res</c>).
    /// </summary>
    /// <remarks><c>/.well-known/core</c> lists all of them with the resource types of RFC 9176.</remarks>
    /// <param name="routes">The server, or a group whose filters and rules apply to the routes. It must have no prefix because locations
    /// would lack it.</param>
    /// <param name="directory">The directory. It can be mapped to several servers.</param>
    /// <returns>The group of all its routes, for further configuration such as access control.</returns>
    /// <exception cref="ArgumentException">The group has a prefix. Set the paths in <see cref="CoapDirectoryOptions"/> instead.</exception>
    /// <exception cref="InvalidOperationException">One of the paths is already mapped.</exception>
    public static CoapRouteGroup MapResourceDirectory(this ICoapRouteBuilder routes, CoapDirectoryServer directory)
    {
        ArgumentNullException.ThrowIfNull(routes);
        ArgumentNullException.ThrowIfNull(directory);
        CoapRouteGroup group = GroupOf(routes);
        Map(group, directory);
        return group;
    }

    /// <summary>Adds the group of the routes of a directory.</summary>
    internal static CoapRouteGroup GroupOf(ICoapRouteBuilder routes)
    {
        if (routes.Routes.Prefix is not ("" or "/"))
        {
            throw new ArgumentException(
                $"The group has the prefix {routes.Routes.Prefix}. Map the directory on the server or on a group without one, and set "
                    + "CoapDirectoryOptions.Path.", nameof(routes));
        }

        return routes.MapGroup("/").WithBlockingLog(false);
    }

    /// <summary>Maps a directory to the group of its routes.</summary>
    internal static void Map(CoapRouteGroup group, CoapDirectoryServer directory)
    {
        DirectoryServerState core = directory.Core;
        CoapDirectoryOptions options = core.Options;
        RegistrationHandlers registrations = new(core);
        group.MapPost(options.Path, registrations.RegisterAsync).WithResourceType("core.rd")
            .WithContentFormat(CoapContentFormat.LinkFormat).Consumes(CoapContentFormat.LinkFormat)
            .WithMaxBodySize(options.Limits.MaxLinkBytes);
        group.MapPost(options.Path + "/{id}", registrations.UpdateAsync).ExcludeFromDiscovery();
        group.MapDelete(options.Path + "/{id}", registrations.RemoveAsync).ExcludeFromDiscovery();
        if (options.AllowSimpleRegistration)
        {
            group.MapPost("/.well-known/rd", new SimpleRegistrationHandler(core, registrations).RegisterAsync).ExcludeFromDiscovery();
        }

        LookupHandlers lookups = new(core);
        group.MapGet(options.LookupPath + "/ep", lookups.GetEndpointsAsync).WithResourceType("core.rd-lookup-ep")
            .Produces(CoapContentFormat.LinkFormat).Observable().WithObserverLimits(lookups.FindTermsOfEndpoints);
        group.MapGet(options.LookupPath + "/res", lookups.GetLinksAsync).WithResourceType("core.rd-lookup-res")
            .Produces(CoapContentFormat.LinkFormat).Observable().WithObserverLimits(lookups.FindTermsOfLinks);
    }
}
