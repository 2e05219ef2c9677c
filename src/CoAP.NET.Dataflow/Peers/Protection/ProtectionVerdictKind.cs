namespace CoAP.NET.Protection;

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
