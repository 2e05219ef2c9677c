namespace CoAP.NET.Guarding;

/// <summary>
/// Whether a peer without a connection has proven its address. Created with the first proof. Guarded by
/// <see cref="AmplificationLimiter"/>; hints are read without its lock.
/// </summary>
internal sealed class PeerVerification : IPeerFeatureState
{
    /// <summary>The expiry of <see cref="CoapChannel.IsVerified"/>, in units of 100 ns.</summary>
    public long Until { get; set; } = long.MaxValue;

    /// <summary>The bytes that the peer may get because it acknowledged messages.</summary>
    public int Credit { get; set; }

    /// <summary>Whether the peer counts among the verified peers of its source.</summary>
    public bool IsCounted { get; set; }

    /// <summary>Returns what a peer has proven; null for nothing, and for a connection or session.</summary>
    public static PeerVerification? Of(CoapChannel channel) =>
        channel.IsConnection ? null : channel.FeatureState<PeerVerification>(PeerFeatureKind.Guarding);

    /// <summary>Whether <see cref="CoapChannel.IsVerified"/> still holds at a time, in units of 100 ns.</summary>
    public static bool Holds(CoapChannel channel, long now) => Of(channel) is not { } proven || now < proven.Until;

    /// <summary>Returns what a peer without a connection has proven, for another proof.</summary>
    public static PeerVerification GetOrAdd(CoapChannel channel) =>
        channel.GetOrAddFeatureState<PeerVerification>(PeerFeatureKind.Guarding);
}
