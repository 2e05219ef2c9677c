using System.Security.Cryptography;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Dtls.Records;

/// <summary>The pseudorandom function of TLS 1.2 (RFC 5246 section 5).</summary>
internal static class Prf
{
    private const int MaxSeed = 128;

    /// <summary>Fills a span.</summary>
    /// <param name="hash">The hash of the cipher suite.</param>
    /// <param name="secret">The secret.</param>
    /// <param name="label">The purpose of the bytes.</param>
    /// <param name="seed">The values that are specific to this session.</param>
    /// <param name="output">Receives the bytes.</param>
    public static void Expand(
        PrfHash hash, ReadOnlySpan<byte> secret, ReadOnlySpan<byte> label, ReadOnlySpan<byte> seed, Span<byte> output)
    {
        int length = (int)hash;
        Span<byte> block = stackalloc byte[(int)PrfHash.Sha384 + MaxSeed];
        Span<byte> made = stackalloc byte[length];
        label.CopyTo(block[length..]);
        seed.CopyTo(block[(length + label.Length)..]);
        block = block[..(length + label.Length + seed.Length)];
        Span<byte> a = block[..length];
        Hmac(hash, secret, block[length..], a);
        while (true)
        {
            Hmac(hash, secret, block, made);
            made[..Math.Min(length, output.Length)].CopyTo(output);
            if (output.Length <= length)
            {
                break;
            }

            output = output[length..];
            Hmac(hash, secret, a, made);
            made.CopyTo(a);
        }

        CryptographicOperations.ZeroMemory(made);
        CryptographicOperations.ZeroMemory(block);
    }

    private static void Hmac(PrfHash hash, ReadOnlySpan<byte> key, ReadOnlySpan<byte> source, Span<byte> output)
    {
        if (hash == PrfHash.Sha256)
        {
            HmacSha256.HashData(key, source, output);
        }
        else
        {
            HMACSHA384.HashData(key, source, output);
        }
    }
}
