namespace CoAP.NET.Protection;

/// <summary>The kinds of <see cref="CoapProtectionVerdict"/>.</summary>
internal enum ProtectionVerdictKind : byte
{
    Pass,
    Drop,
    Deliver,
    Refuse,
    Answer,
    Fail,
    Elsewhere,
}
