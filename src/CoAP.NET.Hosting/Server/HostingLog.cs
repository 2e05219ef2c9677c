using Microsoft.Extensions.Logging;

namespace CoAP.NET.Hosting;

/// <summary>What hosting logs, with ids from 1800 on.</summary>
internal static partial class HostingLog
{
    /// <summary>The category.</summary>
    public const string Category = "CoAP.NET.Hosting";

    [LoggerMessage(1800, LogLevel.Critical, "{Server} gave up. The application stops.")]
    public static partial void ServerFailedAndStops(ILogger logger, string server, Exception exception);

    [LoggerMessage(1801, LogLevel.Critical, "{Server} gave up. The application goes on without it.")]
    public static partial void ServerFailed(ILogger logger, string server, Exception exception);

    [LoggerMessage(1802, LogLevel.Warning, "{Problem}")]
    public static partial void UnknownKey(ILogger logger, string problem);

    [LoggerMessage(1803, LogLevel.Information, "{Server} stops. Requests that still run: {Count}; new ones are refused.")]
    public static partial void Draining(ILogger logger, string server, int count);

    [LoggerMessage(1804, LogLevel.Information, "{Server} stopped.")]
    public static partial void Stopped(ILogger logger, string server);

    [LoggerMessage(1805, LogLevel.Warning, "{Problem}")]
    public static partial void UnusedSection(ILogger logger, string problem);
}
