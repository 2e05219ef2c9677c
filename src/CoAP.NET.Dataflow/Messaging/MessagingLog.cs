using Microsoft.Extensions.Logging;

namespace CoAP.NET.Messaging;

/// <summary>Log messages of the Messaging stage.</summary>
internal static partial class MessagingLog
{
    [LoggerMessage(1300, LogLevel.Warning,
        "Forgot {Count} non-idempotent requests of unverified peers before their lifetime, because deduplication memory ({Bytes} bytes for "
            + "the endpoint) is full: a duplicate of one would be executed again. Raise CoapLimits.Deduplication.Memory, or verify peers "
            + "with Echo or DTLS.")]
    public static partial void UnsafeDuplicatesForgotten(ILogger logger, long count, long bytes);
}
