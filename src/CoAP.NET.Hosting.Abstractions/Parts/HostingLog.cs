using Microsoft.Extensions.Logging;

namespace CoAP.NET.Hosting;

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

    [LoggerMessage(1806, LogLevel.Information,
        "{Server} took the pre-shared keys of {File}, which has changed. There are {Count} keys now. {Ended} sessions ended because their "
        + "keys were removed; the others stay open.")]
    public static partial void KeysTaken(ILogger logger, string server, string file, int count, int ended);

    [LoggerMessage(1807, LogLevel.Error,
        "{Server} keeps its pre-shared keys, because the changed file has an error: {Problem}")]
    public static partial void KeysNotTaken(ILogger logger, string server, string problem);

    [LoggerMessage(1808, LogLevel.Information,
        "{Server} took the security contexts of {File}, which has changed. There are {Count} of them now.")]
    public static partial void ContextsTaken(ILogger logger, string server, string file, int count);

    [LoggerMessage(1809, LogLevel.Error,
        "{Server} did not take the security contexts of a file that has changed: {Problem}")]
    public static partial void ContextsNotTaken(ILogger logger, string server, string problem);

    [LoggerMessage(1810, LogLevel.Warning, "The key file '{File}' ({Key}) is not safe: {Reason}")]
    public static partial void UnsafeKeyFile(ILogger logger, string key, string file, string reason);

    [LoggerMessage(1811, LogLevel.Information,
        "{Endpoint} took the changed files of {Section} ({Files}). New handshakes use them. {Ended} connections and sessions ended because "
        + "their certificates are revoked; the others stay open.")]
    public static partial void CertificatesTaken(ILogger logger, string endpoint, string files, string section, int ended);

    [LoggerMessage(1812, LogLevel.Error,
        "{Endpoint} keeps its certificates, authorities and revocation lists, because a changed file has an error: {Problem}")]
    public static partial void CertificatesNotTaken(ILogger logger, string endpoint, string problem);

    [LoggerMessage(1813, LogLevel.Warning,
        "{Endpoint}: the revocation list {Key} = '{File}' stays in force, but a newer one was due on {Due}. Replace the file.")]
    public static partial void RevocationListDue(ILogger logger, string endpoint, string key, string file, DateTimeOffset due);

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
