using System.Diagnostics;
using System.Security.Cryptography;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Dtls.Records;

/// <summary>
/// Encrypts and decrypts records. AES-128-CCM by the processor's instructions takes the key with each record, so that a session holds no
/// cipher. Where those are missing, and for other ciphers, it holds one of .NET's for each direction, made on first use.
/// </summary>
internal static class Aead
{
    private const int NonceLength = CipherSuite.SaltLength + CipherSuite.ExplicitNonceLength;

    /// <summary>Encrypts in place and makes the tag.</summary>
    /// <param name="suite">The cipher suite.</param>
    /// <param name="cipher">The session's cipher of this direction; stays null where none is necessary.</param>
    /// <param name="key">As long as the suite says.</param>
    /// <param name="nonce">12 bytes, never the same twice under one key.</param>
    /// <param name="associated">The additional authenticated data.</param>
    /// <param name="content">The bytes to encrypt, in place.</param>
    /// <param name="tag">Receives the tag; as long as the suite says.</param>
    public static void Seal(CipherSuite suite, ref IDisposable? cipher, ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce,
        ReadOnlySpan<byte> associated, Span<byte> content, Span<byte> tag)
    {
        Debug.Assert(key.Length == suite.KeyLength && nonce.Length == NonceLength && tag.Length == suite.TagLength,
            "The suite says how long they are.");
        if (suite.Mode == AeadMode.Gcm)
        {
            ((AesGcm)(cipher ??= new AesGcm(key, suite.TagLength))).Encrypt(nonce, content, content, tag, associated);
        }
        else if (UsesProcessor(suite))
        {
            ProcessorAesCcm.Encrypt(key, nonce, associated, content, content, tag);
        }
        else
        {
            ((AesCcmCipher)(cipher ??= new AesCcmCipher(key))).Encrypt(nonce, associated, content, content, tag);
        }
    }

    /// <summary>Decrypts in place, if the record is authentic.</summary>
    /// <param name="suite">The cipher suite.</param>
    /// <param name="cipher">The session's cipher of this direction; stays null where none is necessary.</param>
    /// <param name="key">As long as the suite says.</param>
    /// <param name="nonce">12 bytes.</param>
    /// <param name="associated">The additional authenticated data.</param>
    /// <param name="content">The bytes to decrypt, in place; without meaning if it was forged.</param>
    /// <param name="tag">The received tag.</param>
    /// <returns>Whether the record is authentic under this key, nonce and associated data.</returns>
    public static bool TryOpen(CipherSuite suite, ref IDisposable? cipher, ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce,
        ReadOnlySpan<byte> associated, Span<byte> content, ReadOnlySpan<byte> tag)
    {
        Debug.Assert(key.Length == suite.KeyLength && nonce.Length == NonceLength && tag.Length == suite.TagLength,
            "The suite says how long they are.");
        if (suite.Mode == AeadMode.Ccm)
        {
            return UsesProcessor(suite)
                ? ProcessorAesCcm.TryDecrypt(key, nonce, associated, content, tag, content)
                : ((AesCcmCipher)(cipher ??= new AesCcmCipher(key))).TryDecrypt(nonce, associated, content, tag, content);
        }

        try
        {
            ((AesGcm)(cipher ??= new AesGcm(key, suite.TagLength))).Decrypt(nonce, content, tag, content, associated);
            return true;
        }
        catch (AuthenticationTagMismatchException)
        {
            return false;
        }
    }

    private static bool UsesProcessor(CipherSuite suite) => suite.KeyLength == ProcessorAesCcm.KeyLength && ProcessorAesCcm.IsSupported;
}
