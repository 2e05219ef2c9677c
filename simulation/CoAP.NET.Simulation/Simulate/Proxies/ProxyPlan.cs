namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>What a scenario with proxies depends on beside its steps. Probabilities are per mille, times are milliseconds.</summary>
internal sealed record ProxyPlan
{
    /// <summary>Where the chance of the network and of the endpoints begins.</summary>
    public ulong Seed { get; init; }

    /// <summary>How many proxies one after the other.</summary>
    public int Proxies { get; init; } = 1;

    /// <summary>Whether proxies ask each other over <c>coap+tcp</c>.</summary>
    public bool Streams { get; init; }

    public int Loss { get; init; }

    public int Duplication { get; init; }

    public int Reordering { get; init; }

    public int MaxDelay { get; init; } = 5;
}
