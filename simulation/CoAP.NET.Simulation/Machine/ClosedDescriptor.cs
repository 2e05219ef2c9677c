namespace CoAP.NET.Simulation.Machine;

/// <summary>Which descriptor is closed under the library.</summary>
internal enum ClosedDescriptor
{
    /// <summary>The UDP socket of a server.</summary>
    Udp,

    /// <summary>The listening TCP socket.</summary>
    Listener,

    /// <summary>The epoll descriptor of the receive loop.</summary>
    Epoll,
}
