using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Hosting.Parts;

/// <summary>The services of a host that all its endpoints use.</summary>
internal static class HostedEndpointDefaults
{
    /// <summary>Sets logger, clock and random source of the host if there are none.</summary>
    public static void UseHost(this CoapEndpointOptions endpoint, IServiceProvider services)
    {
        if (endpoint.LoggerFactory == NullLoggerFactory.Instance && services.GetService<ILoggerFactory>() is { } loggers)
        {
            endpoint.LoggerFactory = loggers;
        }

        if (endpoint.TimeProvider == TimeProvider.System && services.GetService<TimeProvider>() is { } time)
        {
            endpoint.TimeProvider = time;
        }

        if (endpoint.Pipeline.Random == CoapRandomSource.Secure && services.GetService<CoapRandomSource>() is { } random)
        {
            endpoint.Pipeline.Random = random;
        }
    }

    /// <summary>Logs unknown keys, and key files that other users can read; if these are errors, the start does not get here.</summary>
    public static void Warn(ILoggerFactory loggers, ConfigurationErrors findings, IEnumerable<UnsafeKeyFile> keyFiles)
    {
        ILogger logger = loggers.CreateLogger(HostingLog.Category);
        foreach (UnusedConfigurationKey unknown in findings.UnknownKeys.First)
        {
            HostingLog.UnknownKey(logger, unknown.Path, unknown.Reason);
        }

        if (findings.UnknownKeys.MoreCount > 0)
        {
            HostingLog.MoreUnused(logger, findings.UnknownKeys.MoreCount, findings.UnknownKeys.Kind);
        }

        foreach (UnsafeKeyFile file in keyFiles)
        {
            HostingLog.UnsafeKeyFile(logger, CoapUntrustedText.LineOf(file.Key), CoapUntrustedText.LineOf(file.File), file.Reason);
        }
    }
}
