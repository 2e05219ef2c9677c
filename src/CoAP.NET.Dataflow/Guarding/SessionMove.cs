namespace CoAP.NET.Guarding;

/// <summary>
/// The last move of a session to another address, and the traffic there in bytes of datagrams. Created with the first move. Guarded by
/// <see cref="AmplificationLimiter"/>, unless stated otherwise.
/// </summary>
internal sealed class SessionMove : IPeerFeatureState
{
    private CancellationTokenSource? _probe;

    /// <summary>The time of the move, in units of 100 ns; unique among the moves of the peer. Also read without the lock.</summary>
    public long At
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    } = long.MinValue;

    /// <summary>The bytes received from there.</summary>
    public long Received { get; set; }

    /// <summary>The bytes sent there.</summary>
    public long Sent { get; set; }

    /// <summary>Cancelled when the peer moves again during the check of its new address; null without a check. Not guarded.</summary>
    public ref CancellationTokenSource? Probe => ref _probe;

    /// <summary>Returns the last move of a session; null when it never moved.</summary>
    public static SessionMove? Of(CoapChannel channel) =>
        channel.IsConnection ? channel.FeatureState<SessionMove>(PeerFeatureKind.Guarding) : null;

    /// <summary>Returns when a session got its current address, in units of 100 ns; the minimum value when it never moved.</summary>
    public static long TimeOf(CoapChannel channel) => Of(channel)?.At ?? long.MinValue;
}
