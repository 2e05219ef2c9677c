namespace CoAP.NET.Simulation.Simulate.Proxies;

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
