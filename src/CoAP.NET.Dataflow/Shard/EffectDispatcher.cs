namespace CoAP.NET.Shard;

/// <summary>
/// Carries out the decisions made under the lock of a shard, on the thread that made them, after its release. The state machines know no
/// neighbouring block: they leave effects with <see cref="CoapShard"/>, and this class passes each to the part that attached itself for it.
/// </summary>
internal sealed class EffectDispatcher
{
    private readonly CoapShard _shard;
    private IEffectTarget[] _targets = [];
    private IPeerEvictionGuard[] _states = [];
    private IEffectTarget<CoapOutbound>? _outbound;
    private IEffectTarget<CoapInbound>? _inbound;
    private IEffectTarget<SendOrCancelMessageEffect>? _own;
    private IEffectTarget<EncodedMessage>? _encoded;

    public EffectDispatcher(CoapShard shard) => _shard = shard;

    /// <summary>The state machine that owns the timers of messages. Null before <see cref="Attach"/>.</summary>
    public ITimerOwner? MessageTimers { get; private set; }

    /// <summary>
    /// Attaches the parts that carry out effects. Called before the first message, because the parts are created after their shard.
    /// </summary>
    /// <param name="targets">The parts; each kind of effect has at most one target.</param>
    public void Attach(params ReadOnlySpan<IEffectTarget> targets)
    {
        _targets = [.. _targets, .. targets];
        _outbound = TargetOf<CoapOutbound>();
        _inbound = TargetOf<CoapInbound>();
        _own = TargetOf<SendOrCancelMessageEffect>();
        _encoded = TargetOf<EncodedMessage>();
    }

    /// <summary>Attaches the state machines with the state of peers. The first one owns the timers of messages.</summary>
    public void AttachStates<TMessages>(TMessages messages, params ReadOnlySpan<IPeerEvictionGuard> others)
        where TMessages : IPeerEvictionGuard, ITimerOwner
    {
        MessageTimers = messages;
        _states = [messages, .. others];
    }

    /// <summary>Returns the target of a kind of effect, for effects that are rare; null if there is none, as in tests of stages.</summary>
    public IEffectTarget<T>? TargetOf<T>()
        where T : allows ref struct => Find<IEffectTarget<T>>();

    /// <summary>Returns an attached part; null if there is none.</summary>
    public T? Find<T>()
        where T : class, IEffectTarget
    {
        foreach (IEffectTarget target in _targets)
        {
            if (target is T found)
            {
                return found;
            }
        }

        return null;
    }

    /// <summary>Reports the encoded bytes of a message with <see cref="CoapOutbound.KeepsBytes"/>. The caller must hold no lock.</summary>
    /// <param name="outbound">The encoded item.</param>
    /// <param name="bytes">The bytes, valid for this call only.</param>
    public void OnEncoded(in CoapOutbound outbound, ReadOnlySpan<byte> bytes) =>
        _encoded?.Carry(new EncodedMessage(in outbound, bytes));

    /// <summary>
    /// Drops the state of a channel in the stages if none of it is younger than its lifetime; for a newcomer only running work counts.
    /// Under the lock. The state of Exchanges pins its channel, so Messaging alone decides.
    /// </summary>
    /// <param name="channel">The channel; nothing pins it.</param>
    /// <returns>Whether the channel may be forgotten.</returns>
    public bool TryForget(CoapChannel channel)
    {
        ProtectedPeersOfChannel? carried = ProtectedPeersOfChannel.Of(channel);
        long now = _shard.Environment.Now;
        if (carried is { IsPinned: true } || !CanForget(channel, now))
        {
            return false;
        }

        Forget(channel);
        foreach (CoapChannel peer in carried?.All ?? [])
        {
            Forget(peer);
        }

        carried?.Clear();
        return true;
    }

    /// <summary>Drops the state of a channel that is forgotten. Under the lock.</summary>
    public void Forget(CoapChannel channel)
    {
        foreach (IPeerEvictionGuard state in _states)
        {
            state.Forget(channel);
        }
    }

    private bool CanForget(CoapChannel channel, long now)
    {
        foreach (IPeerEvictionGuard state in _states)
        {
            if (!state.CanForget(channel, now))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Carries out everything from one period under the lock. Never throws.</summary>
    public void Carry(PendingEffects work)
    {
        foreach (CoapOutbound item in work.Sends)
        {
            Carry(item);
        }

        foreach (CoapInbound item in work.Events)
        {
            try
            {
                _inbound?.Carry(in item);
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
                if (effect.Continuation is { } continuation)
                {
                    continuation.OnReleased(_shard);
                }
                else
                {
                    _own?.Carry(effect.Message);
                }
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
                _outbound?.Carry(in item);
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
}
