using System.Security.Cryptography;

namespace CoAP.NET.Dtls.Records;

/// <summary>The pseudorandom function of TLS 1.2 with SHA-256 (RFC 5246 section 5).</summary>
internal static class Prf
{
    private const int MaxSeed = 128;

    /// <summary>Fills a span.</summary>
    /// <param name="secret">The secret.</param>
    /// <param name="label">The purpose of the bytes.</param>
    /// <param name="seed">The values that are specific to this session.</param>
    /// <param name="output">Receives the bytes.</param>
    public static void Expand(ReadOnlySpan<byte> secret, ReadOnlySpan<byte> label, ReadOnlySpan<byte> seed, Span<byte> output)
    {
        Span<byte> block = stackalloc byte[Sha256.HashLength + MaxSeed];
        Span<byte> made = stackalloc byte[Sha256.HashLength];
        int seedLength = label.Length + seed.Length;
        label.CopyTo(block[Sha256.HashLength..]);
        seed.CopyTo(block[(Sha256.HashLength + label.Length)..]);
        block = block[..(Sha256.HashLength + seedLength)];
        Span<byte> a = block[..Sha256.HashLength];
        HmacSha256.HashData(secret, block[Sha256.HashLength..], a);
        while (true)
        {
            HmacSha256.HashData(secret, block, made);
            made[..Math.Min(made.Length, output.Length)].CopyTo(output);
            if (output.Length <= made.Length)
            {
                break;
            }

            output = output[made.Length..];
            HmacSha256.HashData(secret, a, a);
        }

        CryptographicOperations.ZeroMemory(made);
        CryptographicOperations.ZeroMemory(block);
    }
}
