using System.Runtime.Intrinsics;
using System.Security.Cryptography;

namespace CoAP.NET.Cryptography;

/// <summary>AES with a key of 128, 192 or 256 bits by the platform's cipher of blocks, which every platform but the browser has.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class PlatformAes : IAesBlocks, IDisposable
{
    private const int BlockLength = 16;

    private readonly ICryptoTransform _cipher;
    private readonly byte[] _input = new byte[BlockLength];
    private readonly byte[] _output = new byte[BlockLength];

    public PlatformAes(ReadOnlySpan<byte> key)
    {
#pragma warning disable CA1416 // AesCcmCipher does not choose this class in a browser
        using Aes aes = Aes.Create();
#pragma warning restore CA1416

        // The mode of a single block. The mode of the message, CCM, is not this class's concern.
#pragma warning disable CA5358 // no two blocks of CCM are equal under one key
        aes.Mode = CipherMode.ECB;
#pragma warning restore CA5358
        aes.Padding = PaddingMode.None;
        byte[] copy = key.ToArray();
        _cipher = aes.CreateEncryptor(copy, null);
        CryptographicOperations.ZeroMemory(copy);
    }

    /// <inheritdoc/>
    public Vector128<byte> Encrypt(Vector128<byte> block)
    {
        block.CopyTo(_input);
        _cipher.TransformBlock(_input, 0, BlockLength, _output, 0);
        return Vector128.Create(_output);
    }

    /// <summary>Wipes the key.</summary>
    public void Dispose()
    {
        _cipher.Dispose();
        CryptographicOperations.ZeroMemory(_input);
        CryptographicOperations.ZeroMemory(_output);
    }
}
