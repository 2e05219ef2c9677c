using Microsoft.Extensions.Logging;

namespace CoAP.NET.Explorer.Dashboard;

/// <summary>Log messages of the dashboard: users and traced peers, never contents of messages.</summary>
internal static partial class DashboardLog
{
    public const string Category = "CoAP.NET.Explorer";

    [LoggerMessage(1870, LogLevel.Critical, "The application stops: {Reason}")]
    public static partial void DashboardRefused(ILogger logger, string reason);

    [LoggerMessage(1871, LogLevel.Information, "{User} traces the messages of {Peer} on the live page.")]
    public static partial void TraceBegins(ILogger logger, string user, string peer);
}
