using System.Globalization;
using CoAP.NET.ResourceDirectory;
using CoAP.NET.ResourceDirectory.Registrations;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace CoAP.NET.Hosting.Directories;

/// <summary>Checks whether a hosted server is registered with its resource directories.</summary>
internal sealed class RegistrationHealthCheck(HostedDirectoryRegistrar directories) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(Check(context.Registration.FailureStatus));

    private HealthCheckResult Check(HealthStatus failure)
    {
        IReadOnlyList<CoapRegistration> all = directories.Running;
        if (all.Count == 0)
        {
            return directories.IsServing
                ? HealthCheckResult.Healthy($"{directories.Title} has no resource directory to register with.")
                : new HealthCheckResult(failure, $"{directories.Title} does not serve, so it is not registered.");
        }

        Dictionary<string, object> data = [];
        HealthStatus status = HealthStatus.Healthy;
        List<string> told = [];
        for (int i = 0; i < all.Count; i++)
        {
            CoapRegistrationStatus now = all[i].Status;
            data[string.Create(CultureInfo.InvariantCulture, $"registration{i}")] = now.ToString();
            told.Add($"{now.Directory?.ToString() ?? "a directory that was not found"}: {now}"
                + (now.Error is { } error ? $" ({error.Message})" : ""));
            HealthStatus one = now.State switch
            {
                CoapRegistrationState.Registered => HealthStatus.Healthy,
                CoapRegistrationState.Waiting or CoapRegistrationState.Ended => failure,

                // It is registered, or the first attempt is pending.
                _ => now.Failures > 0 && now.Until is null ? failure : HealthStatus.Degraded,
            };
            status = one < status ? one : status;
        }

        return new HealthCheckResult(status, $"{directories.Title} and its directories: {string.Join("; ", told)}", null, data);
    }
}
