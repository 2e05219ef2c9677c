namespace CoAP.NET.Testing.Network;

internal enum InFlightKind
{
    Datagram,
    PortUnreachable,
    TooLong,
    HostUp,
}
