using Microsoft.Extensions.Logging;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>The log of proxies in web applications: clients and targets, never payloads.</summary>
internal static partial class ProxyLog
{
    public const string Category = "CoAP.NET.AspNetCore";

    [LoggerMessage(1851, LogLevel.Information, "{Client} requested {Target} through the proxy, which does not allow it.")]
    public static partial void TargetDenied(ILogger logger, string client, string target);

    [LoggerMessage(1852, LogLevel.Critical, "The application stops: {Reason}")]
    public static partial void RefusedAtStart(ILogger logger, string reason);

    [LoggerMessage(1856, LogLevel.Information, "The request to {Path} failed at {Target}: {Reason}")]
    public static partial void TargetFailed(ILogger logger, string path, string target, string reason);
}
