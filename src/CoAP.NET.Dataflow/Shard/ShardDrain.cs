using CoAP.NET.Blockwise;
using CoAP.NET.Exchanges;
using CoAP.NET.Messaging;
using CoAP.NET.Transports;

namespace CoAP.NET.Shard;

/// <summary>
/// Carries out what was decided under the lock of a shard, on the thread that decided it, after the lock was released. The state machines
/// know no block that stands behind or above them: what they want done they leave with <see cref="CoapShard"/>, and only this class knows
/// which block does it. It also tells the endpoint what its stages found out.
/// </summary>
internal sealed class ShardDrain
{
    private readonly CoapShard _shard;
    private MessagingOutbound? _messagingOut;
    private MessagingInbound? _messagingIn;
    private ExchangesOutbound? _exchangesOut;
    private ExchangesInbound? _exchangesIn;
    private BodyLayer? _bodies;

    public ShardDrain(CoapShard shard) => _shard = shard;

    /// <summary>The state machine of the messages of this shard, to which their timers belong. Null before <see cref="Attach"/>.</summary>
    public MessageLayer? Messages { get; private set; }

    /// <summary>Sets the blocks that carry out effects. Called once, before the first message, when the blocks were made.</summary>
    /// <param name="messagingOut">Sends what was posted, in the order of each channel.</param>
    /// <param name="messagingIn">Offers up what was raised.</param>
    /// <param name="exchangesOut">Takes messages of ours; null where there is no such stage.</param>
    /// <param name="exchangesIn">Takes requests to serve and answers; null where there is no such stage.</param>
    /// <param name="bodies">What is kept of bodies in blocks; null where there is no such stage.</param>
    public void Attach(
        MessagingOutbound messagingOut,
        MessagingInbound messagingIn,
        ExchangesOutbound? exchangesOut = null,
        ExchangesInbound? exchangesIn = null,
        BodyLayer? bodies = null)
    {
        _messagingOut = messagingOut;
        _messagingIn = messagingIn;
        _exchangesOut = exchangesOut;
        _exchangesIn = exchangesIn;
        _bodies = bodies;
        Messages = messagingOut.Layer;
    }

    /// <summary>The Serializer has made the bytes of a message that <see cref="CoapOutbound.KeepsBytes"/>. No lock may be held.</summary>
    /// <param name="outbound">What was encoded.</param>
    /// <param name="bytes">The bytes, valid for this call only.</param>
    public void OnEncoded(in CoapOutbound outbound, ReadOnlySpan<byte> bytes) => _messagingOut?.OnEncoded(in outbound, bytes);

    /// <summary>A connection or session is ready. No lock may be held, as here and below.</summary>
    public void OnReady(CoapChannel channel) => _shard.Endpoint?.Peers.OnReady(channel);

    /// <summary>A connection or session has ended.</summary>
    public void OnGone(CoapChannel channel, CoapConnectionException reason) => _shard.Endpoint?.Peers.OnGone(channel, reason);

    /// <summary>The peer of a session has another address than before.</summary>
    public void OnMoved(CoapChannel channel, CoapAddress from) => _shard.Endpoint?.Peers.OnMoved(channel, from);

    /// <summary>
    /// The peer of a session said something from an address at which it has not shown yet that it receives, and is not asked.
    /// </summary>
    public void OnHeardUnverified(CoapChannel channel) => _shard.Endpoint?.Peers.AskWhereMoved(channel);

    /// <summary>
    /// Drops what the stages keep of a channel if none of it is younger than its lifetime; of a newcomer only what runs counts. Under the
    /// lock. What Exchanges keeps pins its channel, so Messaging alone decides.
    /// </summary>
    /// <param name="channel">The channel; nothing pins it.</param>
    /// <returns>Whether the channel may be forgotten.</returns>
    public bool TryForget(CoapChannel channel)
    {
        ProtectedChannels? carried = channel.ProtectedOnes;
        if (carried is { IsPinned: true } || !MessageLayer.CanForget(channel, _shard.Environment.Now))
        {
            return false;
        }

        Messages?.Forget(channel);
        _bodies?.Forget(channel);
        foreach (CoapChannel peer in carried?.All ?? [])
        {
            _bodies?.Forget(peer);
        }

        carried?.Clear();
        return true;
    }

    /// <summary>A protected peer was forgotten, alone: what is kept of its bodies goes. Under the lock.</summary>
    public void OnProtectedForgotten(CoapChannel channel) => _bodies?.Forget(channel);

    /// <summary>Something happened that the endpoint cannot go on after.</summary>
    public void Fault(CoapException error) => _shard.Endpoint?.Face.Fault(error);

    /// <summary>Carries out everything of one stretch under the lock. Never throws.</summary>
    public void Carry(ShardWork work)
    {
        foreach (CoapOutbound item in work.Sends)
        {
            Carry(item);
        }

        foreach (CoapInbound item in work.Events)
        {
            try
            {
                _messagingIn?.Raise(in item);
            }
#pragma warning disable CA1031 // law of the mesh: stage code never throws
            catch (Exception exception)
#pragma warning restore CA1031
            {
                _shard.Failed(exception);
            }
        }

        foreach (ShardEffect effect in work.Effects)
        {
            try
            {
                Carry(in effect);
            }
#pragma warning disable CA1031 // law of the mesh: stage code never throws
            catch (Exception exception)
#pragma warning restore CA1031
            {
                _shard.Failed(exception);
            }
        }
    }

    /// <summary>Sends an item that entered the outbox of its channel, and what came into that outbox meanwhile. Never throws.</summary>
    public void Carry(CoapOutbound item)
    {
        CoapChannel channel = item.Channel;
        while (true)
        {
            try
            {
                _messagingOut?.PassOn(in item);
            }
#pragma warning disable CA1031 // whatever happens to one item, the outbox must become free again
            catch (Exception exception)
#pragma warning restore CA1031
            {
                _shard.Failed(exception);
            }

            if (channel.Outbox.TryLeave())
            {
                return;
            }

            lock (_shard.Gate)
            {
                if (!channel.Outbox.TryNext(channel, out item))
                {
                    return;
                }
            }
        }
    }

    private void Carry(in ShardEffect effect)
    {
        switch (effect.Kind)
        {
            case ShardEffectKind.GoOn:
                effect.Continuation.OnReleased(_shard);
                break;
            case ShardEffectKind.Send:
                _exchangesOut?.SendOwn(effect.Transmission);
                break;
            case ShardEffectKind.Cancel:
                _exchangesOut?.Cancel(effect.Transmission);
                break;
            case ShardEffectKind.Serve:
                _exchangesIn?.Emit(effect.Exchange);
                break;
            case ShardEffectKind.Answer:
                _exchangesIn?.AnswerWaiting(effect.Exchange, effect.Result);
                break;
            case ShardEffectKind.Tell:
                effect.Request.Fail(effect.Error);
                break;
            default:
                throw new InvalidOperationException($"Nobody carries out {effect.Kind}.");
        }
    }
}
