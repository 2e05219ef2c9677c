using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Server;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace CoAP.NET.Hosting.Health;

/// <summary>
/// Checks whether a hosted server serves, and whether it has room. One instance per server, because it compares with its last check.
/// </summary>
internal sealed class ServerHealthCheck(ServerRegistration registration) : IHealthCheck
{
    private long _busyBefore;

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(Check(context.Registration.FailureStatus));

    private HealthCheckResult Check(HealthStatus failure)
    {
        HostedServerState life = registration.Life;
        ServerPhase phase = life.Phase;
        if (phase is ServerPhase.NotStarted or ServerPhase.Stopped or ServerPhase.Failed || life.Server is not { } server)
        {
            string why = phase switch
            {
                ServerPhase.Failed => $"gave up: {life.Failure?.Message}",
                ServerPhase.Stopped => "was stopped.",
                _ => "was not started yet.",
            };
            return new HealthCheckResult(failure, $"{registration.Title} {why}", life.Failure);
        }

        int served = server.RequestsServed;
        int max = life.MaxRequestsServed;
        long busy = server.Counters[CoapCounter.Busy];
        long refused = busy - Interlocked.Exchange(ref _busyBefore, busy);
        string[] addresses = [.. server.LocalEndpoints.Select(static uri => CoAP.NET.CoapUri.OriginOf(uri.ToString()))];
        Dictionary<string, object> data = new()
        {
            ["localEndpoints"] = addresses,
            ["requestsServed"] = served,
            ["maxRequestsServed"] = max,
            ["requestsRefused"] = refused,
            ["observers"] = server.ObserverCount,
        };
        if (phase == ServerPhase.Stopping)
        {
            return new HealthCheckResult(failure, $"{registration.Title} stops. Requests that still run: {served}.", null, data);
        }

        if (addresses.Length == 0 && !life.IsHandedConnections)
        {
            return new HealthCheckResult(failure, $"{registration.Title} listens nowhere.", null, data);
        }

        return served >= max
            ? HealthCheckResult.Degraded($"{registration.Title} is full: it serves {served} of {max} requests (Requests.MaxServed).", null,
                data)
            : refused > 0
            ? HealthCheckResult.Degraded($"{registration.Title} refused requests for lack of room since the last check: {refused}.", null,
                data)
            : HealthCheckResult.Healthy(
                addresses.Length == 0
                    ? $"{registration.Title} is served by the web application."
                    : $"{registration.Title} listens on {string.Join(", ", addresses)}.", data);
    }
}
