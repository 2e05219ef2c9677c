namespace CoAP.NET.Survival.Balancing;

/// <summary>How a <see cref="UdpBalancer"/> chooses a server.</summary>
internal sealed record BalancerOptions
{
    /// <summary>After how long without a datagram of a client it is forgotten where that client belongs; infinite for never.</summary>
    public TimeSpan Forgets { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>Of how many datagrams one goes to any server, wherever its client belongs; 0 for none.</summary>
    public int SpraysOneOf { get; init; }
}
