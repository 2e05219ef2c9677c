namespace CoAP.NET.Peers;

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
