using CoAP.NET.Composition;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>The log of endpoints that are served over CoAP.</summary>
internal static partial class EndpointLog
{
    public const string Category = "CoAP.NET.AspNetCore";

    [LoggerMessage(1853, LogLevel.Information, "{Count} endpoints of the web application are served over CoAP.")]
    public static partial void EndpointsMapped(ILogger logger, int count);

    [LoggerMessage(1854, LogLevel.Warning,
        "MapCoap was called, but no endpoint is served over CoAP: none has WithCoap(), and AllEndpoints is not set.")]
    public static partial void NoEndpointMapped(ILogger logger);

    [LoggerMessage(1855, LogLevel.Warning, "The response of {Endpoint} cannot be sent over CoAP: {Reason} Logged once per endpoint.")]
    public static partial void ResponseRefused(ILogger logger, string endpoint, string reason);
}
