using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Hosting;

/// <summary>The servers that a container has made.</summary>
internal static class HostedServers
{
    /// <summary>Whether an endpoint is that of a server of <c>AddCoapServer</c>: its options say where it listens, whoever else hands connections over to it.</summary>
    public static bool Have(IServiceProvider? services, CoapEndpoint endpoint) =>
        services is not null && services.GetServices<ServerRegistration>().Any(registration => registration.Life.Endpoint == endpoint);
}
