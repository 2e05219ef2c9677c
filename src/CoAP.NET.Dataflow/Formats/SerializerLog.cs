using Microsoft.Extensions.Logging;

namespace CoAP.NET.Formats;

/// <summary>Log messages of the Serializer stage.</summary>
internal static partial class SerializerLog
{
    [LoggerMessage(1200, LogLevel.Debug, "{Channel} sent bytes that are not a message: {Rule} at offset {Offset}.")]
    public static partial void FormatError(ILogger logger, CoapChannel channel, CoapMessageFormatViolation rule, long offset);

    [LoggerMessage(1201, LogLevel.Error,
        "A message with code {Code} to {Channel} cannot be encoded. A response is replaced by 5.00, any other message is "
            + "dropped.")]
    public static partial void EncodeFailed(ILogger logger, Exception exception, CoapCode code, CoapChannel channel);
}
