namespace CoAP.NET.Shard;

/// <summary>A state machine that keeps state of peers and must agree before a peer is forgotten.</summary>
internal interface IPeerEvictionGuard
{
    /// <summary>Whether nothing of the peer's state is needed any more. Under the shard's lock.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    bool CanForget(CoapChannel channel, long now);

    /// <summary>Whether nothing is pending with a peer. Under the shard's lock.</summary>
    bool IsQuiet(CoapChannel channel);

    /// <summary>Drops the state of a peer. Under the shard's lock.</summary>
    void Forget(CoapChannel channel);
}
