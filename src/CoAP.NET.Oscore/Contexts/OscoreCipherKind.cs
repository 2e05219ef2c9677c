namespace CoAP.NET.Oscore.Contexts;

/// <summary>The ciphers of OSCORE.</summary>
internal enum OscoreCipherKind : byte
{
    AesCcm,
    AesGcm,
    ChaCha20Poly1305,
}
