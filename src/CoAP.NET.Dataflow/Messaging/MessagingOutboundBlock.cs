using CoAP.NET.Signalling;

namespace CoAP.NET.Messaging;

/// <summary>
/// The outbound half of RFC 7252 section 4: gives replies and messages their type and Message ID, keeps Confirmable ones until they are
/// acknowledged, and delays messages that NSTART and PROBING_RATE do not allow yet. Its results are encoded next, in the order of each
/// channel.
/// </summary>
internal sealed class MessagingOutboundBlock : InlineBlock<CoapOutbound, CoapOutbound>
{
    private readonly CoapShard _shard;
    private readonly MessageLayer _layer;
    private readonly SignallingLayer _signalling;

    internal MessagingOutboundBlock(CoapShard shard, MessageLayer layer, SignallingLayer? signalling = null)
        : base(shard.Environment.Counters, shard.Environment.Logger)
    {
        _shard = shard;
        _layer = layer;
        _signalling = signalling ?? new SignallingLayer(shard);
    }

    internal MessageLayer Layer => _layer;

    internal CoapShard Shard => _shard;

    /// <summary>Handles the encoded bytes of a kept message. Called once, without any lock, on the encoding thread.</summary>
    /// <param name="item">The item.</param>
    /// <param name="bytes">Its bytes, valid for this call only.</param>
    internal void KeepBytes(in CoapOutbound item, ReadOnlySpan<byte> bytes)
    {
        _shard.Enter();
        try
        {
            _layer.OnEncoded(item, bytes, _shard.Environment.Now);
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    /// <inheritdoc/>
    internal override void Process(CoapOutbound item)
    {
        if (item.Channel.IsReliable && ConnectionSignallingState.Of(item.Channel) is StreamState connection)
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
        catch
        {
            // What was decided before the error is carried out.
            _shard.ExitAndSend();
            throw;
        }

        _shard.ExitAndSend();
    }

    /// <inheritdoc/>
    private protected override void OnDeclined(CoapOutbound item)
    {
        if (item.Transmission is null && item.Received is { } received)
        {
            _shard.Enter();
            try
            {
                _layer.OnReplyLost(received, _shard.Environment.Now);
            }
            finally
            {
                _shard.ExitAndSend();
            }
        }
    }

    // The block of the application that threw may have passed it on; a duplicate of the request will show it.
    private protected override void OnLost(CoapOutbound item) => OnDeclined(item);

    private void ProcessReliable(in CoapOutbound item, StreamState connection)
    {
        if (item is { Kind: CoapOutboundAction.Message, Transmission: null, Message: not null })
        {
            // A reply; its order among others is irrelevant (RFC 8323 section 3.3).
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
            _shard.ExitAndSend();
        }
    }

    /// <summary>Offers decided items to the next stage; the drainer of the channel's outbox calls it, outside the lock.</summary>
    internal void OfferDecided(in CoapOutbound item)
    {
        // Acknowledged, rejected or cancelled since the decision to send.
        if (item.Transmission is { IsOver: true })
        {
            return;
        }

        // Most replies are encoded within the offer. Reading without the lock may see an old value, which only costs a check under it.
        if (Emit(item) && item.KeepsBytes && item.Received is { IsRemembered: true } received)
        {
            _shard.Enter();
            _layer.OnEncodingDelayed(received);
            _shard.ExitAndSend();
        }
    }
}
