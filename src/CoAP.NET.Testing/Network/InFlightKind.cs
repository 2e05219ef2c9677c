namespace CoAP.NET.Testing;

internal enum InFlightKind
{
    Datagram,
    PortUnreachable,
    TooLong,
    HostUp,
}
