namespace CoAP.NET.Shard;

/// <summary>Forgets peers when each state machine with state of them agrees. Under the lock of the shard.</summary>
/// <param name="shard">The shard.</param>
internal sealed class PeerEviction(CoapShard shard)
{
    private IPeerEvictionGuard[] _guards = [];

    /// <summary>Attaches the state machines with the state of peers. Called before the first message.</summary>
    public void Attach(params ReadOnlySpan<IPeerEvictionGuard> guards) => _guards = [.. guards];

    /// <summary>
    /// Drops the state of a channel in the stages if none of it is younger than its lifetime; for a newcomer only running work counts. The
    /// state of Exchanges pins its channel, so Messaging alone decides.
    /// </summary>
    /// <param name="channel">The channel; nothing pins it.</param>
    /// <returns>Whether the channel may be forgotten.</returns>
    public bool TryForget(CoapChannel channel)
    {
        ProtectedPeersOfChannel? carried = ProtectedPeersOfChannel.Of(channel);
        if (carried is { IsPinned: true } || !CanForget(channel, shard.Environment.Now))
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

    /// <summary>Drops the state of a channel that is forgotten.</summary>
    public void Forget(CoapChannel channel)
    {
        foreach (IPeerEvictionGuard guard in _guards)
        {
            guard.Forget(channel);
        }
    }

    private bool CanForget(CoapChannel channel, long now)
    {
        foreach (IPeerEvictionGuard guard in _guards)
        {
            if (!guard.CanForget(channel, now))
            {
                return false;
            }
        }

        return true;
    }
}
