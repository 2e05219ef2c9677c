namespace CoAP.NET.ResourceDirectory;

/// <summary>Maps a Resource Directory (RFC 9176).</summary>
public static class CoapDirectoryRoutes
{
    /// <summary>Maps a directory of this process, which keeps nothing.</summary>
    /// <param name="routes">The server, or a group whose filters and rules shall hold.</param>
    /// <param name="options">How it works; null for the defaults.</param>
    /// <returns>The directory.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="InvalidOperationException">One of the paths is mapped already.</exception>
    public static CoapDirectoryServer MapResourceDirectory(this ICoapRouteBuilder routes, CoapDirectoryOptions? options = null)
    {
#pragma warning disable CA2000 // whoever maps it has it
        CoapDirectoryServer directory = new(options);
#pragma warning restore CA2000
        routes.MapResourceDirectory(directory);
        return directory;
    }

    /// <summary>
    /// Maps a directory: registrations (<c>/rd</c>), look-ups of endpoints (<c>/rd-lookup/ep</c>) and of links (<c>/rd-lookup/res</c>), all
    /// of them listed in <c>/.well-known/core</c> by the resource types of RFC 9176.
    /// </summary>
    /// <param name="routes">The server, or a group whose filters and rules shall hold. It must have no prefix, as locations would lack it.
    /// </param>
    /// <param name="directory">The directory. May be mapped on several servers.</param>
    /// <returns>The group of all its routes, to say more about them, such as who may ask.</returns>
    /// <exception cref="ArgumentException">The group has a prefix. Set the paths by <see cref="CoapDirectoryOptions"/>.</exception>
    /// <exception cref="InvalidOperationException">One of the paths is mapped already.</exception>
    public static CoapRouteGroup MapResourceDirectory(this ICoapRouteBuilder routes, CoapDirectoryServer directory)
    {
        ArgumentNullException.ThrowIfNull(routes);
        ArgumentNullException.ThrowIfNull(directory);
        if (routes.Routes.Prefix is not ("" or "/"))
        {
            throw new ArgumentException(
                $"The group has the prefix {routes.Routes.Prefix}. Map the directory on the server or on a group without one, and set "
                    + "CoapDirectoryOptions.Path and LookUpPath.", nameof(routes));
        }

        CoapRouteGroup group = routes.MapGroup("/");
        DirectoryCore core = directory.Core;
        CoapDirectoryOptions options = core.Options;
        RegistrationHandlers registrations = new(core);
        group.MapPost(options.Path, registrations.RegisterAsync).WithResourceType("core.rd")
            .WithContentFormat(CoapContentFormat.LinkFormat).Consumes(CoapContentFormat.LinkFormat).MaxBodySize(options.MaxLinkBytes);
        group.MapPost(options.Path + "/{id}", registrations.UpdateAsync).Hidden();
        group.MapDelete(options.Path + "/{id}", registrations.RemoveAsync).Hidden();
        if (options.AllowSimpleRegistration)
        {
            group.MapPost("/.well-known/rd", new SimpleRegistrationHandler(core, registrations).RegisterAsync).Hidden();
        }

        LookUpHandlers lookUps = new(core);
        group.MapGet(options.LookUpPath + "/ep", lookUps.GetEndpoints).WithResourceType("core.rd-lookup-ep")
            .Produces(CoapContentFormat.LinkFormat).Observable().WithObserverTerms(lookUps.FindTermsOfEndpoints);
        group.MapGet(options.LookUpPath + "/res", lookUps.GetLinks).WithResourceType("core.rd-lookup-res")
            .Produces(CoapContentFormat.LinkFormat).Observable().WithObserverTerms(lookUps.FindTermsOfLinks);
        return group;
    }
}
