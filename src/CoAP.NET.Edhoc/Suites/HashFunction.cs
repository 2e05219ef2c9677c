using System.Security.Cryptography;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Edhoc.Suites;

/// <summary>The hash algorithm of a suite, with EDHOC_Extract and EDHOC_Expand based on it (RFC 9528 section 4.1).</summary>
internal abstract class HashFunction(string name, int coseNumber, int length)
{
    public static HashFunction Sha256 { get; } = new Sha2("SHA-256", -16, 32, HashAlgorithmName.SHA256);

    public static HashFunction Sha384 { get; } = new Sha2("SHA-384", -43, 48, HashAlgorithmName.SHA384);

    public static HashFunction Shake256 { get; } = new Shake();

    public string Name { get; } = name;

    public int CoseNumber { get; } = coseNumber;

    /// <summary>Bytes of a hash.</summary>
    public int Length { get; } = length;

    public abstract bool IsSupported { get; }

    /// <summary>Maximum number of bytes from one call of <see cref="Expand"/>.</summary>
    public abstract int MaxExpanded { get; }

    public abstract byte[] Hash(ReadOnlySpan<byte> data);

    public abstract byte[] Extract(ReadOnlySpan<byte> salt, ReadOnlySpan<byte> keyMaterial);

    public abstract byte[] Expand(ReadOnlySpan<byte> key, ReadOnlySpan<byte> info, int length);

    private sealed class Sha2(string name, int coseNumber, int length, HashAlgorithmName algorithm) : HashFunction(name, coseNumber, length)
    {
        public override bool IsSupported => true;

        public override int MaxExpanded => 255 * Length;

        public override byte[] Hash(ReadOnlySpan<byte> data) => CryptographicOperations.HashData(algorithm, data);

        public override byte[] Extract(ReadOnlySpan<byte> salt, ReadOnlySpan<byte> keyMaterial)
        {
            byte[] key = new byte[Length];
            HKDF.Extract(algorithm, keyMaterial, salt, key);
            return key;
        }

        public override byte[] Expand(ReadOnlySpan<byte> key, ReadOnlySpan<byte> info, int length)
        {
            byte[] output = new byte[length];
            if (length > 0)
            {
                HKDF.Expand(algorithm, key, output, info);
            }

            return output;
        }
    }

    private sealed class Shake() : HashFunction("SHAKE256", -45, 64)
    {
        public override bool IsSupported => System.Security.Cryptography.Shake256.IsSupported && Kmac256.IsSupported;

        public override int MaxExpanded => ushort.MaxValue;

        public override byte[] Hash(ReadOnlySpan<byte> data) => System.Security.Cryptography.Shake256.HashData(data, Length);

        public override byte[] Extract(ReadOnlySpan<byte> salt, ReadOnlySpan<byte> keyMaterial) =>
            Kmac256.HashData(salt, keyMaterial, Length, []);

        public override byte[] Expand(ReadOnlySpan<byte> key, ReadOnlySpan<byte> info, int length) =>
            Kmac256.HashData(key, info, length, []);
    }
}
