using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting;

/// <summary>The servers that a container has made: for whoever hands connections over to a server and did not make it.</summary>
public static class CoapHostedServers
{
    /// <summary>
    /// Whether an endpoint is that of a server of <c>AddCoapServer</c> that was made. Its options say where it listens, so that whoever
    /// hands connections over to it need not call <see cref="CoapEndpoint.ExpectConnections"/>.
    /// </summary>
    /// <param name="services">The container; null for none.</param>
    /// <param name="endpoint">The endpoint.</param>
    /// <returns>Whether it is.</returns>
    public static bool Have(IServiceProvider? services, CoapEndpoint endpoint)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        return services is not null
            && services.GetServices<ServerRegistration>().Any(registration => registration.Life.Endpoint == endpoint);
    }

    /// <summary>The registrations of a server of <c>AddCoapServer</c> with resource directories (<c>RegisterWith</c>), such as to tell them
    /// that its base has changed.</summary>
    /// <param name="services">The container.</param>
    /// <param name="server">The server.</param>
    /// <returns>The registrations, those of configuration first; none before the server serves.</returns>
    public static IReadOnlyList<CoapRegistration> RegistrationsOf(IServiceProvider services, CoapServer server)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(server);
        return services.GetServices<ServerRegistration>().FirstOrDefault(registration => registration.Life.Endpoint == server.Endpoint)
            ?.Life.Directories.Running ?? [];
    }

    /// <summary>
    /// Has a function called when a server of <c>AddCoapServer</c> starts, before it listens: for routes that are known only when the rest
    /// of the application was put together, such as those of a web application. What it throws keeps the application from starting.
    /// </summary>
    /// <param name="services">The container.</param>
    /// <param name="server">The server.</param>
    /// <param name="prepare">Is called once, on the thread that starts the host; in the order of these calls.</param>
    /// <returns>Whether it will be called: false when the server has started already, or is none of the container.</returns>
    public static bool TryPrepareStart(IServiceProvider services, CoapServer server, Func<CancellationToken, Task> prepare)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(server);
        ArgumentNullException.ThrowIfNull(prepare);
        return services.GetServices<ServerRegistration>().FirstOrDefault(registration => registration.Life.Endpoint == server.Endpoint) is
            { } found && found.Preparations.TryAdd(prepare);
    }
}
