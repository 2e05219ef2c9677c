using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting.Server;

/// <summary>Finds the servers of a container, for code that hands connections over to a server that it did not create.</summary>
internal static class HostedServerLookup
{
    /// <summary>Whether an endpoint belongs to a created server of <c>AddCoapServer</c>.</summary>
    /// <param name="services">The container; null for none.</param>
    /// <param name="endpoint">The endpoint.</param>
    /// <returns>True if it does.</returns>
    /// <remarks>
    /// The options of such a server determine where it listens, so code that hands connections over to it need not call
    /// <see cref="CoapEndpoint.ExpectConnections"/>.
    /// </remarks>
    public static bool Have(IServiceProvider? services, CoapEndpoint endpoint)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        return services is not null
            && services.GetServices<ServerRegistration>().Any(registration => registration.Life.Endpoint == endpoint);
    }

    /// <summary>Adds a function that runs when a server of <c>AddCoapServer</c> starts, before it listens.</summary>
    /// <param name="services">The container.</param>
    /// <param name="server">The server.</param>
    /// <param name="prepare">Runs once, on the thread that starts the host, in the order of these calls.</param>
    /// <returns>True if it will run; false if the server has already started, or does not belong to the container.</returns>
    /// <remarks>
    /// Use it for routes that are known only after the rest of the application is set up, such as those of a web application. An exception
    /// prevents the start of the application.
    /// </remarks>
    public static bool TryPrepareStart(IServiceProvider services, CoapServer server, Func<CancellationToken, Task> prepare)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(server);
        ArgumentNullException.ThrowIfNull(prepare);
        return services.GetServices<ServerRegistration>().FirstOrDefault(registration => registration.Life.Endpoint == server.Endpoint) is
        { } found && found.Preparations.TryAdd(prepare);
    }
}
