using System.Collections;
using System.Globalization;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Channels;

/// <summary>
/// The log scope of a message: peer, token and, on datagrams, Message ID. It formats texts when a provider asks for them.
/// </summary>
internal sealed class MessageLogScope : IReadOnlyList<KeyValuePair<string, object?>>
{
    private readonly CoapChannel _channel;
    private readonly CoapToken _token;
    private readonly ushort _messageId;

    private MessageLogScope(CoapChannel channel, CoapToken token, ushort messageId)
    {
        _channel = channel;
        _token = token;
        _messageId = messageId;
    }

    public int Count => _channel.IsReliable ? 2 : 3;

    public KeyValuePair<string, object?> this[int index] => index switch
    {
        0 => new("Peer", _channel.ToString()),
        1 => new("Token", _token.ToString()),
        2 when !_channel.IsReliable => new("MessageId", _messageId),
        _ => throw new ArgumentOutOfRangeException(nameof(index)),
    };

    /// <summary>Begins the scope. Exceptions of the logger are counted and not rethrown.</summary>
    /// <returns>Ends the scope on disposal; may be null.</returns>
    public static IDisposable? Begin(ILogger logger, CoapChannel channel, CoapToken token, ushort messageId)
    {
        try
        {
            return logger.BeginScope(new MessageLogScope(channel, token, messageId));
        }
#pragma warning disable CA1031 // see above
        catch (Exception)
#pragma warning restore CA1031
        {
            channel.Shard.Environment.Counters.Add(CoapCounter.StageErrors);
            return null;
        }
    }

    /// <summary>Begins the scope of a message for a log entry, if its level is enabled.</summary>
    /// <returns>Ends the scope on disposal; null for none.</returns>
    public static IDisposable? BeginFor(ILogger logger, LogLevel level, CoapChannel channel, CoapMessage message) =>
        logger.IsEnabled(level) ? Begin(logger, channel, message.Token, message.MessageId) : null;

    public IEnumerator<KeyValuePair<string, object?>> GetEnumerator()
    {
        for (int i = 0; i < Count; i++)
        {
            yield return this[i];
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    public override string ToString() => _channel.IsReliable
        ? $"Peer:{_channel} Token:{_token}"
        : string.Create(CultureInfo.InvariantCulture, $"Peer:{_channel} Token:{_token} MessageId:{_messageId}");
}
