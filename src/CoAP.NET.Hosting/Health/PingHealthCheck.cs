using System.Globalization;
using CoAP.NET.Endpoints;
using CoAP.NET.Hosting.Clients;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace CoAP.NET.Hosting.Health;

/// <summary>A health check that pings a server with a hosted client.</summary>
internal sealed class PingHealthCheck(ClientFactory clients, string client, CoapUri uri) : IHealthCheck
{
    public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        try
        {
            TimeSpan time = await IEndpointClient.Of(clients.GetClient(client)).PingAsync(uri, null, cancellationToken)
                .ConfigureAwait(false);
            return HealthCheckResult.Healthy(
                string.Create(CultureInfo.InvariantCulture, $"{uri} answered in {time.TotalMilliseconds:0.0} ms."),
                new Dictionary<string, object> { ["roundTripMilliseconds"] = time.TotalMilliseconds });
        }
        catch (CoapException exception)
        {
            return new HealthCheckResult(context.Registration.FailureStatus, $"{uri} does not answer: {exception.Message}", exception);
        }
    }
}
