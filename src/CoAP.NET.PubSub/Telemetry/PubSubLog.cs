using Microsoft.Extensions.Logging;

namespace CoAP.NET.PubSub.Telemetry;

/// <summary>The log of a broker: paths and names of topics and their clients, never data.</summary>
internal static partial class PubSubLog
{
    [LoggerMessage(2650, LogLevel.Information, "{Client} created topic {Path}, '{Name}'")]
    public static partial void TopicCreated(ILogger logger, string client, string path, string name);

    [LoggerMessage(2651, LogLevel.Information, "Topic {Path}, '{Name}', was deleted")]
    public static partial void TopicDeleted(ILogger logger, string path, string name);

    [LoggerMessage(2652, LogLevel.Information, "Topic {Path}, '{Name}', expired and was deleted (expiration-date)")]
    public static partial void TopicExpired(ILogger logger, string path, string name);

    [LoggerMessage(2653, LogLevel.Debug, "{Client} may not do {Operation} with topic {Path}")]
    public static partial void OperationDenied(ILogger logger, string client, CoapPubSubOperation operation, string path);

    [LoggerMessage(2654, LogLevel.Warning, "No room for a topic or data of {Source}: the broker has {Topics} topics with {Bytes} bytes, "
        + "and no source with more has a topic to evict (MaxTopics, MaxBytes). Logged at most once per minute")]
    public static partial void NoCapacityForTopic(ILogger logger, string source, int topics, long bytes);

    [LoggerMessage(2655, LogLevel.Warning, "The table of topics did not answer for {Path}; the client gets 5.03")]
    public static partial void TableUnavailable(ILogger logger, Exception exception, string path);

    [LoggerMessage(2656, LogLevel.Warning,
        "The broker is full: topic {Path} of {Source}, the source with the most, was evicted for a source "
        + "with fewer; {Total} topics have been evicted since the start (MaxTopics, MaxBytes). Logged at most once per minute")]
    public static partial void TopicEvicted(ILogger logger, string path, string source, long total);
}
