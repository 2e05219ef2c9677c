using CoAP.NET.Mesh;
using CoAP.NET.Options;

namespace CoAP.NET.Cli.Wire;

/// <summary>
/// What a user wants otherwise than the library does it: tokens of his own, and no Uri-Host. Changed next to the serializer and changed
/// back in what comes, so that nobody else notices.
/// </summary>
internal sealed class HeaderChanges
{
    private readonly byte[]? _firstToken;
    private readonly bool _hasNoHost;
    private readonly Lock _gate = new();
    private readonly Dictionary<(CoapChannel Channel, CoapToken Token), CoapToken> _shown = [];
    private readonly Dictionary<(CoapChannel Channel, CoapToken Token), CoapToken> _own = [];
    private byte[] _next;

    private HeaderChanges(byte[]? firstToken, bool hasNoHost)
    {
        _firstToken = firstToken;
        _next = firstToken ?? [];
        _hasNoHost = hasNoHost;
    }

    /// <summary>Puts the blocks into a pipeline, if there is anything to change.</summary>
    /// <param name="firstToken">The token of the first request; further ones count up. Null for the library's.</param>
    /// <param name="hasNoHost">Whether Uri-Host and Uri-Port are left out.</param>
    /// <param name="pipeline">The pipeline of the client.</param>
    public static void Insert(byte[]? firstToken, bool hasNoHost, CoapPipelineOptions pipeline)
    {
        if (firstToken is null && !hasNoHost)
        {
            return;
        }

        HeaderChanges changes = new(firstToken, hasNoHost);
        pipeline.Insert(CoapSeams.MessagingToSerializer, () => new InlineTap<CoapOutbound>(changes.Change));
        if (firstToken is not null)
        {
            pipeline.Insert(CoapSeams.SerializerToMessaging, () => new InlineTap<CoapInbound>(changes.ChangeBack));
        }
    }

    private CoapOutbound Change(CoapOutbound item)
    {
        if (item.Message is not { Code.IsRequest: true } message)
        {
            return item;
        }

        // A copy: the message is the library's, which sends it again by its own token.
        CoapMessage changed = new(message.Code)
        {
            Type = message.Type,
            MessageId = message.MessageId,
            Token = Show(item.Channel, message.Token),
            Payload = message.Payload
        };
        changed.Options.AddAll(message.Options);
        if (_hasNoHost)
        {
            changed.Options.Remove(OptionNumber.UriHost);
            changed.Options.Remove(OptionNumber.UriPort);
        }

        return item with { Message = changed };
    }

    private CoapInbound ChangeBack(CoapInbound item)
    {
        if (item.Message is { Code.IsResponse: true } message)
        {
            lock (_gate)
            {
                if (_own.TryGetValue((item.Channel, message.Token), out CoapToken own))
                {
                    // What came is nobody else's yet.
                    message.Token = own;
                }
            }
        }

        return item;
    }

    private CoapToken Show(CoapChannel channel, CoapToken own)
    {
        if (_firstToken is null)
        {
            return own;
        }

        lock (_gate)
        {
            if (!_shown.TryGetValue((channel, own), out CoapToken shown))
            {
                shown = new CoapToken(_next);
                _shown[(channel, own)] = shown;
                _own[(channel, shown)] = own;
                CountUp();
            }

            return shown;
        }
    }

    private void CountUp()
    {
        _next = [.. _next];
        for (int i = _next.Length - 1; i >= 0 && ++_next[i] == 0; i--)
        {
        }
    }
}
