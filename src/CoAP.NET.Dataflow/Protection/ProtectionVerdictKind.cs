namespace CoAP.NET.Protection;

/// <summary>What a <see cref="CoapProtectionVerdict"/> says.</summary>
internal enum ProtectionVerdictKind : byte
{
    Pass,
    Drop,
    Deliver,
    Refuse,
    Answer,
    Fail,
}
