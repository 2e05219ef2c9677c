using CoAP.NET.Oscore.Endpoints;
using CoAP.NET.Oscore.Protection;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Oscore.Telemetry;

/// <summary>The log messages of OSCORE, with ids from 2300 on.</summary>
internal static partial class OscoreLog
{
    [LoggerMessage(2300, LogLevel.Debug, "The endpoint refused a protected request of {Channel} with {Recipient}: {Fault}.")]
    public static partial void RequestRefused(ILogger logger, CoapChannel channel, OscoreContextLookupKey recipient, OscoreFault fault);

    [LoggerMessage(2301, LogLevel.Debug, "The endpoint refused a protected request of {Channel}: its OSCORE option or payload is "
        + "malformed.")]
    public static partial void RequestMalformed(ILogger logger, CoapChannel channel);

    [LoggerMessage(2302, LogLevel.Debug,
        "{Channel} has to send its request again with an Echo: the replay window of {Context} is lost, because the last process did not "
        + "close the context.")]
    public static partial void Challenged(ILogger logger, CoapChannel channel, OscoreContext context);

    [LoggerMessage(2303, LogLevel.Debug, "The endpoint dropped a response of {Channel} to a protected request: {Reason}.")]
    public static partial void ResponseDropped(ILogger logger, CoapChannel channel, OscoreMetric reason);

    [LoggerMessage(2304, LogLevel.Debug, "The resolver found {Context} for {Recipient}.")]
    public static partial void ContextFound(ILogger logger, OscoreContext context, OscoreContextLookupKey recipient);

    [LoggerMessage(2305, LogLevel.Error,
        "The resolver of security contexts failed for {Recipient}; the endpoint refuses the request, and the next one calls the resolver "
        + "again. {LeftOut} more failures were not logged since the last one: logged at most once per minute; coap.oscore.lookups counts "
        + "each.")]
    public static partial void LookupFailed(ILogger logger, OscoreContextLookupKey recipient, long leftOut, Exception? exception);

    [LoggerMessage(2306, LogLevel.Warning,
        "The resolver of security contexts returned {Context} for {Recipient}, which has another Recipient ID or the same IDs as another "
        + "context. The endpoint does not use it. {LeftOut} more failures were not logged since the last one: logged at most once per "
        + "minute; coap.oscore.lookups counts each.")]
    public static partial void LookupWrong(ILogger logger, OscoreContext context, OscoreContextLookupKey recipient, long leftOut);

    [LoggerMessage(2307, LogLevel.Error,
        "The store of sequence numbers did not confirm a reservation for {Context}. When the confirmed numbers are used up, "
        + "the context cannot send. {LeftOut} more failures were not logged since the last one: logged at most once per minute; "
        + "coap.oscore.reservations counts each.")]
    public static partial void StoreFailed(ILogger logger, OscoreContext context, long leftOut, Exception exception);

    [LoggerMessage(2308, LogLevel.Warning,
        "Nine tenths of the sequence numbers of {Context} are used. After the last one it cannot send: give both ends a new key.")]
    public static partial void NumbersNearlyUsed(ILogger logger, OscoreContext context);
}
