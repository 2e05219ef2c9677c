namespace CoAP.NET.Oscore;

internal enum OscoreCipher : byte
{
    AesCcm,
    AesGcm,
    ChaCha20Poly1305,
}
