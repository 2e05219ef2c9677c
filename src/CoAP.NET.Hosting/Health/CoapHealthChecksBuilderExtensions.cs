using CoAP.NET.Hosting.Clients;
using CoAP.NET.Hosting.Health;
using CoAP.NET.Hosting.Server;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds health checks of CoAP servers, and of devices and servers elsewhere.</summary>
public static class CoapHealthChecksBuilderExtensions
{
    private static readonly TimeSpan s_pingTimeout = TimeSpan.FromSeconds(5);

    /// <summary>Adds a check of a hosted server.</summary>
    /// <param name="builder">The health checks.</param>
    /// <param name="server">The name of the server; empty for the one without a name.</param>
    /// <param name="name">The name of the check; null for <c>coap-server</c>, followed by the name of the server.</param>
    /// <param name="failureStatus">The status if the server does not serve; null for Unhealthy.</param>
    /// <param name="tags">Tags to select checks.</param>
    /// <returns>The health checks.</returns>
    /// <remarks>
    /// Healthy: it listens. Degraded: it is full (<see cref="CoAP.NET.CoapRequestLimits.MaxServed"/>), or has refused requests for lack of
    /// room since the last check. Otherwise, before the start, while it stops and after, or after a failure: the failure status.
    /// </remarks>
    public static IHealthChecksBuilder AddCoapServer(
        this IHealthChecksBuilder builder, string server = "", string? name = null, HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(server);
        name ??= server.Length == 0 ? "coap-server" : $"coap-server-{server}";
        return builder.Add(new HealthCheckRegistration(name, services => Find(services, server).Health, failureStatus, tags));
    }

    /// <summary>
    /// Adds a check that pings a peer: with an Empty Confirmable message that the peer answers with a Reset (RFC 7252 section 4.3), or on a
    /// connection with a Ping (RFC 8323 section 5.4).
    /// </summary>
    /// <param name="builder">The health checks.</param>
    /// <param name="uri">Scheme, host and port, such as <c>coap://device.example</c>.</param>
    /// <param name="name">The name of the check; null for <c>coap-ping</c> and the URI.</param>
    /// <param name="client">The name of the client that pings; empty for the one without a name.</param>
    /// <param name="timeout">
    /// The timeout; null for 5 s. The retransmissions of an unanswered ping take 93 s by default, which is too long for most probes.
    /// </param>
    /// <param name="failureStatus">The status without an answer; null for Unhealthy.</param>
    /// <param name="tags">Tags to select checks.</param>
    /// <returns>The health checks.</returns>
    /// <exception cref="ArgumentException">The URI is not a CoAP URI.</exception>
    /// <remarks>
    /// Healthy: the peer answered; the description has the time. Otherwise the failure status. The check uses the client without a name
    /// unless you name another, and adds it if there is none.
    /// </remarks>
    public static IHealthChecksBuilder AddCoapPing(
        this IHealthChecksBuilder builder,
        CoAP.NET.CoapUri uri,
        string? name = null,
        string client = "",
        TimeSpan? timeout = null,
        HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(client);
        CoAP.NET.CoapUri.RequireCoap(uri, nameof(uri));

        if (client.Length == 0)
        {
            builder.Services.AddCoapClient();
        }

        return builder.Add(new HealthCheckRegistration(
            name ?? $"coap-ping {uri}", services => new PingHealthCheck(services.GetRequiredService<ClientFactory>(), client, uri),
            failureStatus, tags, timeout ?? s_pingTimeout));
    }

    /// <inheritdoc
    /// cref="AddCoapPing(IHealthChecksBuilder, CoAP.NET.CoapUri, string, string, TimeSpan?, HealthStatus?, IEnumerable{string})"/>
    /// <exception cref="CoAP.NET.CoapFormatException">The text is not a URI.</exception>
    public static IHealthChecksBuilder AddCoapPing(
        this IHealthChecksBuilder builder,
        string uri,
        string? name = null,
        string client = "",
        TimeSpan? timeout = null,
        HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null) =>
        AddCoapPing(builder, CoAP.NET.CoapUri.FromString(uri), name, client, timeout, failureStatus, tags);

    private static ServerRegistration Find(IServiceProvider services, string server) =>
        services.GetServices<ServerRegistration>().FirstOrDefault(found => found.Name == server)
            ?? throw new InvalidOperationException(
                $"There is no CoAP server with the name '{server}' to check. Call AddCoapServer on the services.");
}
