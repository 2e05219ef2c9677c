using CoAP.NET.Mesh;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Oscore;

/// <summary>What OSCORE logs, with ids from 2300 on.</summary>
internal static partial class OscoreLog
{
    [LoggerMessage(2300, LogLevel.Debug, "A protected request of {Channel} with {Recipient} was refused: {Fault}.")]
    public static partial void RequestRefused(ILogger logger, CoapChannel channel, OscoreRecipient recipient, OscoreFault fault);

    [LoggerMessage(2301, LogLevel.Debug, "A protected request of {Channel} was refused: its OSCORE option or payload cannot be decoded.")]
    public static partial void RequestMalformed(ILogger logger, CoapChannel channel);

    [LoggerMessage(2302, LogLevel.Debug,
        "{Channel} was asked to send its request again with an Echo: the replay window of {Context} was lost, as the last process did not "
        + "end in order.")]
    public static partial void Challenged(ILogger logger, CoapChannel channel, OscoreContext context);

    [LoggerMessage(2303, LogLevel.Debug, "A response of {Channel} to a protected request was dropped: {Reason}.")]
    public static partial void ResponseDropped(ILogger logger, CoapChannel channel, OscoreEvent reason);

    [LoggerMessage(2304, LogLevel.Debug, "The resolver found {Context} for {Recipient}.")]
    public static partial void ContextFound(ILogger logger, OscoreContext context, OscoreRecipient recipient);

    [LoggerMessage(2305, LogLevel.Error,
        "The resolver of security contexts failed for {Recipient}; the request is refused, and the next one asks again. Said at most once "
        + "a minute; coap.oscore.lookups counts each.")]
    public static partial void LookupFailed(ILogger logger, OscoreRecipient recipient, Exception? exception);

    [LoggerMessage(2306, LogLevel.Warning,
        "The resolver of security contexts gave {Context} for {Recipient}, which has another Recipient ID or stands beside another context "
        + "with the same IDs. It is not used.")]
    public static partial void LookupWrong(ILogger logger, OscoreContext context, OscoreRecipient recipient);

    [LoggerMessage(2307, LogLevel.Error,
        "The store of sequence numbers did not confirm a reservation for {Context}. When the confirmed ones are used up nothing is sent "
        + "with it. Said at most once a minute; coap.oscore.reservations counts each.")]
    public static partial void StoreFailed(ILogger logger, OscoreContext context, Exception exception);

    [LoggerMessage(2308, LogLevel.Warning,
        "Nine tenths of the sequence numbers of {Context} are used. When all are, nothing can be sent with it: give both ends a new key.")]
    public static partial void NumbersNearlyUsed(ILogger logger, OscoreContext context);
}
