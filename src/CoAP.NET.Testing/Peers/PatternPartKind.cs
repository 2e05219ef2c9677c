namespace CoAP.NET.Testing.Peers;

/// <summary>The kinds of parts of a pattern of bytes.</summary>
internal enum PatternPartKind
{
    Byte,
    Rest,
    Capture,
    Reference,
}
