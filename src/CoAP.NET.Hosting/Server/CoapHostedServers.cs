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
}
