using System.Collections;
using System.Globalization;
using CoAP.NET.Channels;

namespace CoAP.NET.Resources;

/// <summary>The log scope of a request: peer, token and, on datagrams, Message ID. Texts are made when a provider asks for them.</summary>
internal sealed class RequestScope(CoapChannel channel, CoapMessage message) : IReadOnlyList<KeyValuePair<string, object?>>
{
    private readonly CoapToken _token = message.Token;
    private readonly ushort _messageId = message.MessageId;

    public int Count => channel.IsReliable ? 2 : 3;

    public KeyValuePair<string, object?> this[int index] => index switch
    {
        0 => new("Peer", channel.ToString()),
        1 => new("Token", _token.ToString()),
        2 when !channel.IsReliable => new("MessageId", _messageId),
        _ => throw new ArgumentOutOfRangeException(nameof(index)),
    };

    public IEnumerator<KeyValuePair<string, object?>> GetEnumerator()
    {
        for (int i = 0; i < Count; i++)
        {
            yield return this[i];
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    public override string ToString() => channel.IsReliable
        ? $"Peer:{channel} Token:{_token}"
        : string.Create(CultureInfo.InvariantCulture, $"Peer:{channel} Token:{_token} MessageId:{_messageId}");
}
