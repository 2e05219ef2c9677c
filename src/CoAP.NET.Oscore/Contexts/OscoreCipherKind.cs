namespace CoAP.NET.Oscore;

internal enum OscoreCipherKind : byte
{
    AesCcm,
    AesGcm,
    ChaCha20Poly1305,
}
