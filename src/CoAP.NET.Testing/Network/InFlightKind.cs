namespace CoAP.NET.Testing.Network;

/// <summary>What is in flight in the network in memory.</summary>
internal enum InFlightKind
{
    Datagram,
    PortUnreachable,
    TooLong,
    HostUp,
}
