using CoAP.NET.Explorer.Exploring;

namespace CoAP.NET.Cli.Wire;

/// <summary>
/// Header fields that the user overrides: their own tokens, and no Uri-Host. Blocks next to the serializer apply the changes and reverse
/// them in responses, so that no other layer notices.
/// </summary>
internal sealed class TokenAndHostRewriter
{
    private readonly byte[]? _firstToken;
    private readonly bool _hasNoHost;
    private readonly Lock _gate = new();
    private readonly Dictionary<(CoapChannel Channel, CoapToken Token), CoapToken> _shown = [];
    private readonly Dictionary<(CoapChannel Channel, CoapToken Token), CoapToken> _own = [];
    private byte[] _next;

    private TokenAndHostRewriter(byte[]? firstToken, bool hasNoHost)
    {
        _firstToken = firstToken;
        _next = firstToken ?? [];
        _hasNoHost = hasNoHost;
    }

    /// <summary>Adds the blocks to a pipeline, if there is anything to change.</summary>
    /// <param name="firstToken">The token of the first request; further ones count up. Null for the library's.</param>
    /// <param name="hasNoHost">Whether to omit Uri-Host and Uri-Port.</param>
    /// <param name="pipeline">The pipeline of the client.</param>
    public static void Insert(byte[]? firstToken, bool hasNoHost, CoapPipelineOptions pipeline)
    {
        if (firstToken is null && !hasNoHost)
        {
            return;
        }

        TokenAndHostRewriter changes = new(firstToken, hasNoHost);
        pipeline.Insert(CoapStageLinks.MessagingToSerializer, () => new StageObserver<CoapOutbound>(changes.Change));
        if (firstToken is not null)
        {
            pipeline.Insert(CoapStageLinks.SerializerToMessaging, () => new StageObserver<CoapInbound>(changes.ChangeBack));
        }
    }

    private CoapOutbound Change(CoapOutbound item)
    {
        if (item.Message is not { Code.IsRequest: true } message)
        {
            return item;
        }

        // A copy: the message belongs to the library, which retransmits it with its own token.
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
                    // No other layer has seen the received message yet.
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
