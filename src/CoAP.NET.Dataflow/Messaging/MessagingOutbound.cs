using CoAP.NET.Signalling;

namespace CoAP.NET.Messaging;

/// <summary>
/// The outbound half of RFC 7252 section 4: gives replies and messages their type and Message ID, keeps Confirmable ones until they are
/// acknowledged, and holds back what NSTART and PROBING_RATE do not allow yet. What comes out is to be encoded, in the order of each
/// channel.
/// </summary>
internal sealed class MessagingOutbound : InlineBlock<CoapOutbound, CoapOutbound>
{
    private readonly CoapShard _shard;
    private readonly MessageLayer _layer;
    private readonly SignallingLayer _signalling;

    internal MessagingOutbound(CoapShard shard, MessageLayer layer, SignallingLayer? signalling = null)
        : base(shard.Environment.Counters, shard.Environment.Logger)
    {
        _shard = shard;
        _layer = layer;
        _signalling = signalling ?? new SignallingLayer(shard);
    }

    internal MessageLayer Layer => _layer;

    /// <summary>
    /// The Serializer has made the bytes of a message that is kept. Called once, without any lock held, on the thread that encodes.
    /// </summary>
    /// <param name="outbound">What was encoded.</param>
    /// <param name="bytes">The bytes, valid for this call only.</param>
    internal void OnEncoded(in CoapOutbound outbound, ReadOnlySpan<byte> bytes)
    {
        _shard.Enter();
        try
        {
            _layer.OnEncoded(outbound, bytes, _shard.Environment.Now);
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <inheritdoc/>
    internal override void Process(CoapOutbound item)
    {
        if (item.Channel is { IsReliable: true, SignallingState: StreamState connection })
        {
            ProcessReliable(in item, connection);
            return;
        }

        _shard.Enter();
        try
        {
            if (item.Channel is { IsConnection: true, IsForgotten: true })
            {
                _layer.SendToEnded(item);
            }
            else
            {
                _layer.Send(item, _shard.Environment.Now);
            }
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <inheritdoc/>
    private protected override void OnDeclined(CoapOutbound item)
    {
        if (item.Transmission is null && item.Reception is { } reception)
        {
            _shard.Enter();
            try
            {
                _layer.OnReplyLost(reception, _shard.Environment.Now);
            }
            finally
            {
                _shard.Exit();
            }
        }
    }

    // Whether the block of a user that threw has passed it on is not known; a duplicate of the request will tell.
    private protected override void OnLost(CoapOutbound item) => OnDeclined(item);

    private void ProcessReliable(in CoapOutbound item, StreamState connection)
    {
        if (item is { Kind: CoapOutboundKind.Message, Transmission: null, Message: not null })
        {
            // A reply, whose order among others means nothing (RFC 8323 section 3.3).
            if (!connection.IsOver)
            {
                Offer(item);
            }

            return;
        }

        _shard.Enter();
        try
        {
            _signalling.Send(item, _shard.Environment.Now);
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>Offers on what was decided; called by the one who drains the channel's outbox, outside the lock.</summary>
    internal void PassOn(in CoapOutbound item)
    {
        // Acknowledged, rejected or cancelled between the decision to send and now.
        if (item.Transmission is { IsOver: true })
        {
            return;
        }

        // Most replies are encoded within the offer. Reading without the lock may see an old value, which costs a look under it.
        if (Offer(item) && item.KeepsBytes && item.Reception is { Place: not 0 } reception)
        {
            _shard.Enter();
            _layer.OnEncodingDelayed(reception);
            _shard.Exit();
        }
    }
}
