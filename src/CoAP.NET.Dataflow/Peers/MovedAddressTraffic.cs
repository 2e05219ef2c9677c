namespace CoAP.NET.Peers;

/// <summary>
/// The traffic with the peer of a session at its new address, in bytes of datagrams. Guarded by <see cref="AmplificationLimiter"/>, except
/// for
/// <see cref="At"/>.
/// </summary>
internal sealed class MovedAddressTraffic(long at)
{
    /// <summary>The time of the move, in units of 100 ns; unique among the moves of the peer.</summary>
    public long At => at;

    /// <summary>The bytes received from there.</summary>
    public long Received { get; set; }

    /// <summary>The bytes sent there.</summary>
    public long Sent { get; set; }
}
