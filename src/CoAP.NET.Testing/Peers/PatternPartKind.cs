namespace CoAP.NET.Testing.Peers;

internal enum PatternPartKind
{
    Byte,
    Rest,
    Capture,
    Reference,
}
