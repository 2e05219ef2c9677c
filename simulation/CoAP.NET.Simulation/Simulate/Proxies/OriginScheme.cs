namespace CoAP.NET.Simulation.Simulate.Proxies;

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
