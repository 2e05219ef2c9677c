namespace CoAP.NET.Simulation.Simulate.Proxies;

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
