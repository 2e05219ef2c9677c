namespace CoAP.NET.Cryptography;

/// <summary>
/// AES-CCM with keys of 128 bits by the instructions of the processor. The platform's class takes ten times as long for messages as small
/// as those of CoAP, because it creates a native object for each.
/// </summary>
/// <remarks>It keeps no state: it derives the round keys for each message and wipes them afterwards.</remarks>
internal static class ProcessorAesCcm
{
    /// <summary>The length of a key in bytes.</summary>
    public const int KeyLength = ProcessorAes.KeyLength;

    public static bool IsSupported => ProcessorAes.IsSupported;

    /// <summary>Encrypts and computes the tag with a key of 16 bytes: see <see cref="AesCcmMode{TBlocks}.Encrypt"/>.</summary>
    public static void Encrypt(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> data, ReadOnlySpan<byte> plaintext, Span<byte> ciphertext,
        Span<byte> tag)
    {
        ProcessorAes blocks = new(key);
        AesCcmMode<ProcessorAes>.Encrypt(ref blocks, nonce, data, plaintext, ciphertext, tag);
        blocks.Wipe();
    }

    /// <summary>
    /// Decrypts with a key of 16 bytes, and returns whether the message is authentic: see <see cref="AesCcmMode{TBlocks}.TryDecrypt"/>.
    /// </summary>
    public static bool TryDecrypt(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> data, ReadOnlySpan<byte> ciphertext, ReadOnlySpan<byte> tag,
        Span<byte> plaintext)
    {
        ProcessorAes blocks = new(key);
        bool isAuthentic = AesCcmMode<ProcessorAes>.TryDecrypt(ref blocks, nonce, data, ciphertext, tag, plaintext);
        blocks.Wipe();
        return isAuthentic;
    }
}
