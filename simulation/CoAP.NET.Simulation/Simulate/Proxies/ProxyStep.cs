namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>One thing that happens in a scenario with proxies. Which members have a meaning depends on the kind.</summary>
internal sealed record ProxyStep
{
    public ProxyStepKind Kind { get; init; }

    /// <summary>The number by which requests are known; stays when other steps are taken out.</summary>
    public int Id { get; init; }

    public int Client { get; init; }

    public int Origin { get; init; }

    /// <summary>Which proxy, counted from the clients.</summary>
    public int Proxy { get; init; }

    /// <summary>Which of the resources of a kind.</summary>
    public int Resource { get; init; }

    public ProxyWay Way { get; init; }

    /// <summary>The scheme of the server.</summary>
    public OriginScheme Scheme { get; init; }

    public CoapMethod Method { get; init; } = CoapMethod.Get;

    /// <summary>The size of the body in both directions.</summary>
    public int Size { get; init; }

    /// <summary>The Hop-Limit; 0 for none.</summary>
    public int HopLimit { get; init; }

    /// <summary>How long nothing else happens afterwards, in milliseconds of virtual time.</summary>
    public int Pause { get; init; }
}
