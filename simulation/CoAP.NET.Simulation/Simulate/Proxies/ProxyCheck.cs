namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>What holds in every run with proxies.</summary>
internal enum ProxyCheck
{
    /// <summary>Each request ends.</summary>
    Ends,

    /// <summary>It ends with an answer or with an error of the library.</summary>
    TypedError,

    /// <summary>While the network is well every request is answered.</summary>
    Served,

    /// <summary>The answer is the one of the server that was asked to this request.</summary>
    RightAnswer,

    /// <summary>Bodies arrive byte by byte as they were, in both directions.</summary>
    Bodies,

    /// <summary>A POST is carried out once unless somebody was restarted.</summary>
    RunsOnce,

    /// <summary>An answer of a server with an error comes as it was; one that cannot be sent on is 5.02.</summary>
    Errors,

    /// <summary>No proxy gives an answer beyond its Max-Age, and what is left of it is counted down.</summary>
    Fresh,

    /// <summary>What was changed through a proxy is not answered as it was before.</summary>
    Invalidated,

    /// <summary>Equal requests at a time are asked once.</summary>
    SingleFlight,

    /// <summary>What was answered to one identity is not given to another.</summary>
    Identity,

    /// <summary>Each proxy takes one off Hop-Limit, and none sends on what has none left.</summary>
    HopLimit,

    /// <summary>A token of a proxy stands for one request.</summary>
    Tokens,

    /// <summary>A server has one registration of a proxy for what is observed in one way.</summary>
    OneRegistration,

    /// <summary>Observers have the last state when the network is well again.</summary>
    LastState,

    /// <summary>Observers hear of the end of what they observe.</summary>
    EndPassed,

    /// <summary>When nothing happens any more nothing is kept.</summary>
    Quiet,
}

/// <summary>Something that must never be, and was.</summary>
/// <param name="Check">Which rule.</param>
/// <param name="What">What was seen.</param>
/// <param name="Time">When.</param>
internal sealed record ProxyViolation(ProxyCheck Check, string What, TimeSpan Time)
{
    public override string ToString() => $"{Check} at {Time.TotalSeconds:F3} s: {What}";
}
