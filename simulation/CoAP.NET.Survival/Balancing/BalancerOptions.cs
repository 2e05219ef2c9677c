namespace CoAP.NET.Survival.Balancing;

/// <summary>How a <see cref="UdpBalancer"/> chooses a server.</summary>
internal sealed record BalancerOptions
{
    /// <summary>The names that <see cref="Parse"/> knows.</summary>
    public static IReadOnlyList<string> Names { get; } = ["sticky", "forget", "spray"];

    /// <summary>A client is forgotten after this time without a datagram from it; infinite for never, the default.</summary>
    public TimeSpan Forgets { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// One of so many records with a Connection ID goes to a random server, wherever its client belongs; 0, the default, for none.
    /// Handshakes have no Connection ID yet: all their datagrams have to reach the same server.
    /// </summary>
    public int SpraysOneOf { get; init; }

    /// <summary>The balancer of a name.</summary>
    /// <param name="name">One of <see cref="Names"/>.</param>
    /// <param name="pause">How long devices are silent between two requests: one that forgets does so after half of it.</param>
    /// <exception cref="ArgumentException">There is none of this name.</exception>
    public static BalancerOptions Parse(string name, TimeSpan pause) => name switch
    {
        "sticky" => new BalancerOptions(),
        "forget" => new BalancerOptions { Forgets = pause / 2 },
        "spray" => new BalancerOptions { SpraysOneOf = 1 },
        _ => throw new ArgumentException($"{name} is not a balancer. Known: {string.Join(", ", Names)}."),
    };
}
