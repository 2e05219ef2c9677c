using CoAP.NET.Hosting;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Health checks of CoAP servers, and of devices and servers elsewhere.</summary>
public static class CoapHealthChecksBuilderExtensions
{
    private static readonly TimeSpan s_pingTimeout = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Checks a hosted server. Healthy: it listens. Degraded: it is full (<see cref="CoAP.NET.CoapLimits.MaxRequestsServed"/>), refused
    /// requests for lack of room since it was looked at last, or stops. Otherwise, when it was not started, was stopped or gave up: the
    /// failure status.
    /// </summary>
    /// <param name="builder">The health checks.</param>
    /// <param name="server">The name of the server; empty for the one without a name.</param>
    /// <param name="name">The name of the check; null for <c>coap-server</c>, with the name of the server behind it.</param>
    /// <param name="failureStatus">What it is when the server does not serve; null for Unhealthy.</param>
    /// <param name="tags">Tags, to choose checks by.</param>
    /// <returns>The health checks.</returns>
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
    /// Checks whether a hosted server is registered with its resource directories (<c>RegisterWith</c>). Healthy: with all of them.
    /// Degraded: a registration stands but could not be refreshed, or the first try is under way. Otherwise, when one is not registered:
    /// the failure status; the description says why and when the next try comes.
    /// </summary>
    /// <param name="builder">The health checks.</param>
    /// <param name="server">The name of the server; empty for the one without a name.</param>
    /// <param name="name">The name of the check; null for <c>coap-registrations</c>, with the name of the server behind it.</param>
    /// <param name="failureStatus">What it is when the server is not registered; null for Unhealthy.</param>
    /// <param name="tags">Tags, to choose checks by.</param>
    /// <returns>The health checks.</returns>
    public static IHealthChecksBuilder AddCoapRegistrations(
        this IHealthChecksBuilder builder, string server = "", string? name = null, HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(server);
        name ??= server.Length == 0 ? "coap-registrations" : $"coap-registrations-{server}";
        return builder.Add(new HealthCheckRegistration(
            name, services => new RegistrationHealthCheck(Find(services, server)), failureStatus, tags));
    }

    /// <summary>
    /// Checks by a ping whether a peer is there: an Empty Confirmable message that it answers with a Reset (RFC 7252 section 4.3), or on a
    /// connection a Ping (RFC 8323 section 5.4). Healthy: it answered; the description says in which time. Otherwise the failure status.
    /// The client without a name is used unless another is named; it is added if there is none.
    /// </summary>
    /// <param name="builder">The health checks.</param>
    /// <param name="uri">Scheme, host and port, such as <c>coap://device.example</c>.</param>
    /// <param name="name">The name of the check; null for <c>coap-ping</c> and the URI.</param>
    /// <param name="client">The name of the client that pings; empty for the one without a name.</param>
    /// <param name="timeout">How long the answer may take; null for 5 s. The copies of an unanswered ping take 93 s by default, which is
    /// too long for most probes.</param>
    /// <param name="failureStatus">What it is without an answer; null for Unhealthy.</param>
    /// <param name="tags">Tags, to choose checks by.</param>
    /// <returns>The health checks.</returns>
    /// <exception cref="ArgumentException">The URI is no CoAP URI.</exception>
    public static IHealthChecksBuilder AddCoapPing(
        this IHealthChecksBuilder builder,
        string uri,
        string? name = null,
        string client = "",
        TimeSpan? timeout = null,
        HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(client);
        if (!CoAP.NET.CoapUri.TryParse(uri, out _, out string? error))
        {
            throw new ArgumentException(error, nameof(uri));
        }

        if (client.Length == 0)
        {
            builder.Services.AddCoapClient();
        }

        return builder.Add(new HealthCheckRegistration(
            name ?? $"coap-ping {uri}", services => new PingHealthCheck(services.GetRequiredService<ICoapClientFactory>(), client, uri),
            failureStatus, tags, timeout ?? s_pingTimeout));
    }

    private static ServerRegistration Find(IServiceProvider services, string server) =>
        services.GetServices<ServerRegistration>().FirstOrDefault(found => found.Name == server)
            ?? throw new InvalidOperationException(
                $"There is no CoAP server by the name '{server}' to check. Call AddCoapServer on the services.");
}
