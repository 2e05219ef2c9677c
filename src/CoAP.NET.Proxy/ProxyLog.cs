using Microsoft.Extensions.Logging;

namespace CoAP.NET.Proxy;

/// <summary>The log of a proxy: targets, clients and codes, never payloads.</summary>
internal static partial class ProxyLog
{
    [LoggerMessage(3000, LogLevel.Debug, "{Client} requested {Code} {Target}: {Answer}")]
    public static partial void Answered(ILogger logger, string client, CoapCode code, string target, CoapCode answer);

    [LoggerMessage(3001, LogLevel.Information, "{Client} requested {Target} through this proxy, which does not allow it")]
    public static partial void TargetDenied(ILogger logger, string client, string target);

    [LoggerMessage(3002, LogLevel.Warning, "A request of {Client} to {Target} ran out of hops: there may be a loop of proxies")]
    public static partial void HopsUsedUp(ILogger logger, string client, string target);

    [LoggerMessage(3003, LogLevel.Warning, "{Target} leads back to this proxy, {Identifier}: there is a loop of proxies")]
    public static partial void Loop(ILogger logger, string target, string identifier);

    [LoggerMessage(3004, LogLevel.Debug, "The request to {Target} failed")]
    public static partial void Failed(ILogger logger, Exception exception, string target);
}
