namespace CoAP.NET.Oscore;

/// <summary>The ciphers of the OSCORE algorithms.</summary>
internal enum OscoreCipher : byte
{
    AesCcm,
    AesGcm,
    ChaCha20Poly1305,
}
