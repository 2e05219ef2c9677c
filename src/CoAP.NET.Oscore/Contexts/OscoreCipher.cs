namespace CoAP.NET.Oscore;

/// <summary>The ciphers that the algorithms of OSCORE are made of.</summary>
internal enum OscoreCipher : byte
{
    AesCcm,
    AesGcm,
    ChaCha20Poly1305,
}
