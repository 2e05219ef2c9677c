using Microsoft.Extensions.Logging;

namespace CoAP.NET.Explorer;

/// <summary>The log of the pages: users and their requests, never payloads or secrets.</summary>
internal static partial class ExplorerLog
{
    public const string Category = "CoAP.NET.Explorer";

    [LoggerMessage(1860, LogLevel.Information, "{User} sends a request through the explorer: {Method} {Target}")]
    public static partial void Asked(ILogger logger, string user, string method, string target);

    [LoggerMessage(1861, LogLevel.Critical, "The application stops: {Reason}")]
    public static partial void RefusedAtStart(ILogger logger, string reason);
}
