using Microsoft.Extensions.Logging;

namespace CoAP.NET.PubSub.Telemetry;

/// <summary>The log of a broker: paths and names of topics and who asked, never data.</summary>
internal static partial class PubSubLog
{
    [LoggerMessage(2650, LogLevel.Information, "{Client} created topic {Path}, '{Name}'")]
    public static partial void TopicCreated(ILogger logger, string client, string path, string name);

    [LoggerMessage(2651, LogLevel.Information, "Topic {Path}, '{Name}', was deleted")]
    public static partial void TopicDeleted(ILogger logger, string path, string name);

    [LoggerMessage(2652, LogLevel.Information, "Topic {Path}, '{Name}', is deleted, as its expiration-date has come")]
    public static partial void TopicExpired(ILogger logger, string path, string name);

    [LoggerMessage(2653, LogLevel.Debug, "{Client} may not do {Operation} with topic {Path}")]
    public static partial void OperationDenied(ILogger logger, string client, CoapPubSubOperation operation, string path);

    [LoggerMessage(2654, LogLevel.Warning, "No room for a topic or data of {Source}: {Topics} topics with {Bytes} bytes are there, "
        + "and nobody has more who would give way (MaxTopics, MaxBytes). This is told once a minute")]
    public static partial void NoRoomForTopic(ILogger logger, string source, int topics, long bytes);

    [LoggerMessage(2655, LogLevel.Warning, "The table of topics has no answer for {Path}; the client is told 5.03")]
    public static partial void TableUnavailable(ILogger logger, Exception exception, string path);

    [LoggerMessage(2656, LogLevel.Warning, "There is no room, so topic {Path} of {Source}, which has most, gave way to one of a source "
        + "that has less; {Total} have done so since the start (MaxTopics, MaxBytes). This is told once a minute")]
    public static partial void TopicGaveWay(ILogger logger, string path, string source, long total);
}
