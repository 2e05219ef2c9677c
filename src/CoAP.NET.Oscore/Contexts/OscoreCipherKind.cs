namespace CoAP.NET.Oscore.Contexts;

internal enum OscoreCipherKind : byte
{
    AesCcm,
    AesGcm,
    ChaCha20Poly1305,
}
