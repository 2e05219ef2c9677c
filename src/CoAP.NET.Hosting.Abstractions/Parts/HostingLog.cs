using CoAP.NET.Hosting.Configuration;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Hosting.Parts;

/// <summary>The log messages of hosting, with ids from 1800 on.</summary>
internal static partial class HostingLog
{
    public const string Category = "CoAP.NET.Hosting";

    [LoggerMessage(1800, LogLevel.Critical, "{Server} gave up. The application stops.")]
    public static partial void ServerFailedAndStops(ILogger logger, string server, Exception exception);

    [LoggerMessage(1801, LogLevel.Critical, "{Server} gave up. The application goes on without it.")]
    public static partial void ServerFailed(ILogger logger, string server, Exception exception);

    [LoggerMessage(1802, LogLevel.Warning, "{Key} is not a known key. {Hint}")]
    public static partial void UnknownKey(ILogger logger, string key, string hint);

    [LoggerMessage(1803, LogLevel.Information, "{Server} stops. Requests that still run: {Count}; new ones are not served.")]
    public static partial void Draining(ILogger logger, string server, int count);

    [LoggerMessage(1804, LogLevel.Information, "{Server} stopped.")]
    public static partial void Stopped(ILogger logger, string server);

    [LoggerMessage(1810, LogLevel.Warning, "The key file '{File}' ({Key}) is not safe: {Reason}")]
    public static partial void UnsafeKeyFile(ILogger logger, string key, string file, string reason);

    [LoggerMessage(1814, LogLevel.Warning,
        "The configuration of {Endpoint} has changed ({Keys}), which takes effect when the application restarts. Only the contents of "
        + "files of keys, certificates and revocation lists take effect before.")]
    public static partial void ConfigurationChanged(ILogger logger, string endpoint, string keys);

    [LoggerMessage(1815, LogLevel.Critical, "{Server} cannot start ({Section}). {Reason} The application does not start.")]
    public static partial void NotStarted(ILogger logger, string server, string section, string reason);

    [LoggerMessage(1805, LogLevel.Warning, "{Section} configures nothing: {Reason}")]
    public static partial void UnusedSection(ILogger logger, string section, string reason);

    [LoggerMessage(1816, LogLevel.Warning, "There are {Count} more {Kind}.")]
    public static partial void MoreUnused(ILogger logger, int count, string kind);
}
