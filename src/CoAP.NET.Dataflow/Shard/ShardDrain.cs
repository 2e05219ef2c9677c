using CoAP.NET.Blockwise;
using CoAP.NET.Exchanges;
using CoAP.NET.Messaging;
using CoAP.NET.Transports;

namespace CoAP.NET.Shard;

/// <summary>
/// Carries out the decisions made under the lock of a shard, on the thread that made them, after its release. The state machines know no
/// neighbouring block: they leave effects with <see cref="CoapShard"/>, and only this class knows the block for each effect. It also
/// reports events of its stages to the endpoint.
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

    /// <summary>The messaging state machine of this shard, which owns the timers of messages. Null before <see cref="Attach"/>.</summary>
    public MessageLayer? Messages { get; private set; }

    /// <summary>Sets the blocks that carry out effects. Called once, before the first message, after the blocks were created.</summary>
    /// <param name="messagingOut">Sends posted items, in the order of each channel.</param>
    /// <param name="messagingIn">Offers raised items to the stage above.</param>
    /// <param name="exchangesOut">Accepts messages to send; null without such a stage.</param>
    /// <param name="exchangesIn">Accepts requests to serve and answers; null without such a stage.</param>
    /// <param name="bodies">The state of bodies in blocks; null without such a stage.</param>
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

    /// <summary>Reports the encoded bytes of a message with <see cref="CoapOutbound.KeepsBytes"/>. The caller must hold no lock.</summary>
    /// <param name="outbound">The encoded item.</param>
    /// <param name="bytes">The bytes, valid for this call only.</param>
    public void OnEncoded(in CoapOutbound outbound, ReadOnlySpan<byte> bytes) => _messagingOut?.OnEncoded(in outbound, bytes);

    /// <summary>Reports a ready connection or session. The caller must hold no lock, here and below.</summary>
    public void OnReady(CoapChannel channel) => _shard.Endpoint?.Peers.OnReady(channel);

    /// <summary>Reports the end of a connection or session.</summary>
    public void OnGone(CoapChannel channel, CoapConnectionException reason) => _shard.Endpoint?.Peers.OnGone(channel, reason);

    /// <summary>Reports a new address of a session.</summary>
    public void OnMoved(CoapChannel channel, CoapAddress from) => _shard.Endpoint?.Peers.OnMoved(channel, from);

    /// <summary>Reports a message of a session from an unverified address that is not being verified.</summary>
    public void OnHeardUnverified(CoapChannel channel) => _shard.Endpoint?.Peers.AskWhereMoved(channel);

    /// <summary>
    /// Drops the state of a channel in the stages if none of it is younger than its lifetime; for a newcomer only running work counts.
    /// Under the lock. The state of Exchanges pins its channel, so Messaging alone decides.
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

    /// <summary>Drops the bodies of a protected peer that was forgotten alone. Under the lock.</summary>
    public void OnProtectedForgotten(CoapChannel channel) => _bodies?.Forget(channel);

    /// <summary>Reports a fatal error to the endpoint.</summary>
    public void Fault(CoapException error) => _shard.Endpoint?.Face.Fault(error);

    /// <summary>Carries out everything from one period under the lock. Never throws.</summary>
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
#pragma warning disable CA1031 // rule of the mesh: stage code never throws
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
#pragma warning disable CA1031 // rule of the mesh: stage code never throws
            catch (Exception exception)
#pragma warning restore CA1031
            {
                _shard.Failed(exception);
            }
        }
    }

    /// <summary>Sends an item that entered the outbox of its channel, and later items of that outbox. Never throws.</summary>
    public void Carry(CoapOutbound item)
    {
        CoapChannel channel = item.Channel;
        while (true)
        {
            try
            {
                _messagingOut?.PassOn(in item);
            }
#pragma warning disable CA1031 // the outbox must become free again, whatever happens to one item
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
                throw new InvalidOperationException($"There is no block for the effect {effect.Kind}.");
        }
    }
}
