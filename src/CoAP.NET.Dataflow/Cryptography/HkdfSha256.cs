using System.Security.Cryptography;

namespace CoAP.NET.Cryptography;

/// <summary>HKDF with SHA-256 (RFC 5869) in managed code, for the reasons of <see cref="Sha256"/>. It allocates nothing.</summary>
internal static class HkdfSha256
{
    /// <summary>Concentrates the randomness of a secret in a key (section 2.2).</summary>
    /// <param name="secret">The secret.</param>
    /// <param name="salt">The salt; may be empty.</param>
    /// <param name="key">Receives the pseudorandom key of <see cref="Sha256.HashLength"/> bytes.</param>
    public static void Extract(ReadOnlySpan<byte> secret, ReadOnlySpan<byte> salt, Span<byte> key) =>
        HmacSha256.HashData(salt, secret, key);

    /// <summary>Derives keys (section 2.3).</summary>
    /// <param name="key">The pseudorandom key.</param>
    /// <param name="output">Receives the bytes, 255 hashes at most; must not overlap the other spans.</param>
    /// <param name="info">The purpose of the bytes; may be empty.</param>
    /// <exception cref="ArgumentOutOfRangeException">The output is too long.</exception>
    public static void Expand(ReadOnlySpan<byte> key, Span<byte> output, ReadOnlySpan<byte> info)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(output.Length, byte.MaxValue * Sha256.HashLength, nameof(output));
        Span<byte> block = stackalloc byte[Sha256.HashLength];
        HmacSha256 begun = new(key);
        scoped ReadOnlySpan<byte> last = default;
        for (byte number = 1; !output.IsEmpty; number++)
        {
            HmacSha256 code = begun;
            code.Append(last);
            code.Append(info);
            code.Append([number]);
            code.Finish(block);
            last = block;
            int length = Math.Min(block.Length, output.Length);
            block[..length].CopyTo(output);
            output = output[length..];
        }

        begun.Wipe();
        CryptographicOperations.ZeroMemory(block);
    }

    /// <summary>Derives keys from a secret.</summary>
    /// <param name="secret">The secret.</param>
    /// <param name="output">Receives the bytes, 255 hashes at most; must not overlap the other spans.</param>
    /// <param name="salt">The salt; may be empty.</param>
    /// <param name="info">The purpose of the bytes; may be empty.</param>
    /// <exception cref="ArgumentOutOfRangeException">The output is too long.</exception>
    public static void DeriveKey(ReadOnlySpan<byte> secret, Span<byte> output, ReadOnlySpan<byte> salt, ReadOnlySpan<byte> info)
    {
        Span<byte> key = stackalloc byte[Sha256.HashLength];
        Extract(secret, salt, key);
        Expand(key, output, info);
        CryptographicOperations.ZeroMemory(key);
    }
}
