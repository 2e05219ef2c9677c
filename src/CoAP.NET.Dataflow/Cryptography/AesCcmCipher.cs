using System.Security.Cryptography;

#pragma warning disable CA1416 // a browser has none of these means, so none is chosen there

namespace CoAP.NET.Cryptography;

/// <summary>AES-CCM (RFC 3610) with one key, with the fastest implementation on this machine.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class AesCcmCipher : IDisposable
{
    private readonly byte[] _key = [];
    private readonly AesCcm? _platform;
    private PlatformAes? _blocks;

    /// <summary>Creates the cipher.</summary>
    /// <param name="key">The key: 16, 24 or 32 bytes.</param>
    /// <exception cref="PlatformNotSupportedException">This machine has no such cipher.</exception>
    public AesCcmCipher(ReadOnlySpan<byte> key)
        : this(key, MeansFor(key.Length))
    {
    }

    /// <summary>Creates the cipher by given means.</summary>
    /// <exception cref="PlatformNotSupportedException">There are no means.</exception>
    internal AesCcmCipher(ReadOnlySpan<byte> key, AesCcmImplementation means)
    {
        switch (means)
        {
            case AesCcmImplementation.Processor:
                _key = key.ToArray();
                break;
            case AesCcmImplementation.Platform:
                _platform = new AesCcm(key);
                break;
            case AesCcmImplementation.Blocks:
                _blocks = new PlatformAes(key);
                break;
            default:
                throw new PlatformNotSupportedException(Missing("AES-CCM"));
        }
    }

    /// <summary>Returns the means for keys of a length.</summary>
    /// <param name="keyLength">The length in bytes.</param>
    public static AesCcmImplementation MeansFor(int keyLength) =>
        keyLength == ProcessorAesCcm.KeyLength && ProcessorAesCcm.IsSupported ? AesCcmImplementation.Processor
        : OperatingSystem.IsBrowser() || OperatingSystem.IsWasi()
            || !PlatformCryptographyAvailability.IsAvailable ? AesCcmImplementation.None
        : AesCcm.IsSupported ? AesCcmImplementation.Platform
        : AesCcmImplementation.Blocks;

    /// <summary>Says why there are no means.</summary>
    /// <param name="what">The name of the cipher: the first words of the message.</param>
    public static string Missing(string what) => PlatformCryptographyAvailability.IsAvailable
        ? $"{what} needs a processor with AES instructions, or a platform with AES."
        : PlatformCryptographyAvailability.Missing(what + " on a processor without AES instructions, or with a key of more than 128 bits,");

    /// <summary>Encrypts and computes the tag.</summary>
    /// <param name="nonce">7 to 13 bytes, never the same twice under one key.</param>
    /// <param name="data">The additional authenticated data.</param>
    /// <param name="plaintext">The plaintext; short enough for the counter that the nonce leaves.</param>
    /// <param name="ciphertext">As long as the plaintext; the same bytes, or without overlap.</param>
    /// <param name="tag">4 to 16 bytes, an even number.</param>
    public void Encrypt(
        ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> data, ReadOnlySpan<byte> plaintext, Span<byte> ciphertext, Span<byte> tag)
    {
        if (_platform is not null)
        {
            _platform.Encrypt(nonce, plaintext, ciphertext, tag, data);
        }
        else if (_blocks is not null)
        {
            AesCcmMode<PlatformAes>.Encrypt(ref _blocks, nonce, data, plaintext, ciphertext, tag);
        }
        else
        {
            ProcessorAesCcm.Encrypt(_key, nonce, data, plaintext, ciphertext, tag);
        }
    }

    /// <summary>Decrypts, and returns whether the message is authentic.</summary>
    /// <param name="nonce">7 to 13 bytes.</param>
    /// <param name="data">The additional authenticated data.</param>
    /// <param name="ciphertext">The ciphertext.</param>
    /// <param name="tag">4 to 16 bytes, an even number.</param>
    /// <param name="plaintext">As long as the ciphertext; the same bytes, or without overlap. Zeros if the message is not
    /// authentic.</param>
    public bool TryDecrypt(
        ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> data, ReadOnlySpan<byte> ciphertext, ReadOnlySpan<byte> tag, Span<byte> plaintext)
    {
        if (_blocks is not null)
        {
            return AesCcmMode<PlatformAes>.TryDecrypt(ref _blocks, nonce, data, ciphertext, tag, plaintext);
        }

        if (_platform is null)
        {
            return ProcessorAesCcm.TryDecrypt(_key, nonce, data, ciphertext, tag, plaintext);
        }

        try
        {
            _platform.Decrypt(nonce, ciphertext, tag, plaintext, data);
            return true;
        }
        catch (AuthenticationTagMismatchException)
        {
            plaintext.Clear();
            return false;
        }
    }

    /// <summary>Wipes the key.</summary>
    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(_key);
        _platform?.Dispose();
        _blocks?.Dispose();
    }
}
