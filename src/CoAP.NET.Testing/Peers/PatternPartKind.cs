namespace CoAP.NET.Testing;

internal enum PatternPartKind
{
    Byte,
    Rest,
    Capture,
    Reference,
}
