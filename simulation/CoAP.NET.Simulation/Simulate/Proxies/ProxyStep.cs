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

/// <summary>What can happen in a scenario with proxies.</summary>
internal enum ProxyStepKind
{
    /// <summary>A client asks a server, with a body or without.</summary>
    Ask,

    /// <summary>A client asks for something that proxies may keep.</summary>
    AskKept,

    /// <summary>A client asks, over a secured transport, for something that is for it alone.</summary>
    AskOwn,

    /// <summary>A client asks for something that depends on who it is.</summary>
    AskWho,

    /// <summary>A client asks for something that the server answers by an error.</summary>
    AskError,

    /// <summary>A client begins to observe.</summary>
    Observe,

    /// <summary>A client gives an observation up.</summary>
    Unobserve,

    /// <summary>What is observed changes.</summary>
    Change,

    /// <summary>What proxies may keep changes at the server.</summary>
    ChangeKept,

    /// <summary>What is observed is not there any more.</summary>
    End,

    /// <summary>It is there again.</summary>
    Return,

    /// <summary>A server loses all that it knows of clients.</summary>
    RestartOrigin,

    /// <summary>A proxy loses all that it knows.</summary>
    RestartProxy,

    /// <summary>A client loses all that it knows.</summary>
    RestartClient,

    /// <summary>A client and the first proxy are cut off from each other.</summary>
    CutClient,

    /// <summary>A proxy is cut off from the next one, or the last one from a server.</summary>
    CutProxy,

    /// <summary>All partitions end.</summary>
    Heal,
}

/// <summary>How a client names its target.</summary>
internal enum ProxyWay
{
    /// <summary>By Proxy-Uri.</summary>
    Uri,

    /// <summary>By Proxy-Scheme and the options of the URI.</summary>
    Scheme,

    /// <summary>By a path of a reverse proxy, whose target is one of the next.</summary>
    Reverse,

    /// <summary>By Proxy-Uri with a path of the last proxy, which is a reverse one for it.</summary>
    Mixed,
}

/// <summary>How the last proxy asks a server.</summary>
internal enum OriginScheme
{
    /// <summary><c>coap</c>.</summary>
    Datagrams,

    /// <summary><c>coap+tcp</c>.</summary>
    Stream,

    /// <summary><c>coaps</c>.</summary>
    Secured,
}
