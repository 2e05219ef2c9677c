using System.Security.Cryptography;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Oscore;

/// <summary>Identifies a context in an <see cref="IOscoreStore"/>.</summary>
/// <remarks>
/// 32 bytes derived from all inputs of the Sender Key. They reveal nothing about the Sender Key. A context with another secret, salt, ID
/// Context, Sender ID or algorithm has another key. The Recipient ID does not matter: two contexts that differ in nothing else encrypt with
/// one key, so they share their sequence numbers.
/// </remarks>
public readonly struct OscoreStoreKey : IEquatable<OscoreStoreKey>
{
    /// <summary>The length in bytes: 32.</summary>
    public const int Length = 32;

    private readonly byte[]? _bytes;

    /// <summary>Creates a key from the bytes that a store kept.</summary>
    /// <param name="bytes">32 bytes.</param>
    /// <exception cref="ArgumentException">The number of bytes is wrong.</exception>
    public OscoreStoreKey(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length != Length)
        {
            throw new ArgumentException($"The key of a context has {Length} bytes, not {bytes.Length}.", nameof(bytes));
        }

        _bytes = bytes.ToArray();
    }

    /// <summary>The bytes.</summary>
    public ReadOnlyMemory<byte> Bytes => _bytes ?? new byte[Length];

    /// <summary>Computes the key of a context.</summary>
    /// <param name="parameters">The parameters of the context.</param>
    /// <returns>The key.</returns>
    /// <exception cref="ObjectDisposedException">The parameters are already wiped.</exception>
    public static OscoreStoreKey Of(OscoreParameters parameters)
    {
        ArgumentNullException.ThrowIfNull(parameters);
        Span<byte> secret = stackalloc byte[parameters.Hkdf.HashLength];
        parameters.Hkdf.Extract(parameters.MasterSecret, parameters.MasterSalt.Span, secret);
        HmacSha256 mac = new(secret);
        CryptographicOperations.ZeroMemory(secret);

        // The input of HKDF for keys begins with a CBOR array, so it can never equal an input that begins with this text.
        mac.Append("CoAP.NET OSCORE state 1"u8);
        AppendNumber(ref mac, parameters.Algorithm.CoseNumber);
        AppendNumber(ref mac, parameters.Hkdf.CoseNumber);
        AppendNumber(ref mac, parameters.HasIdContext ? parameters.IdContextBytes.Length : -1);
        mac.Append(parameters.IdContextBytes);
        AppendNumber(ref mac, parameters.SenderId.Length);
        mac.Append(parameters.SenderId.Span);
        Span<byte> bytes = stackalloc byte[Length];
        mac.Finish(bytes);
        return new OscoreStoreKey(bytes);
    }

    /// <inheritdoc/>
    public bool Equals(OscoreStoreKey other) => Bytes.Span.SequenceEqual(other.Bytes.Span);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is OscoreStoreKey other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => _bytes is null ? 0 : BitConverter.ToInt32(_bytes);

    /// <summary>Returns the bytes in hexadecimal.</summary>
    /// <returns>The text: 64 digits.</returns>
    public override string ToString() => Convert.ToHexStringLower(Bytes.Span);

    /// <summary>Whether two keys are equal.</summary>
    /// <param name="left">A key.</param>
    /// <param name="right">The other key.</param>
    /// <returns>True if they are equal.</returns>
    public static bool operator ==(OscoreStoreKey left, OscoreStoreKey right) => left.Equals(right);

    /// <summary>Whether two keys differ.</summary>
    /// <param name="left">A key.</param>
    /// <param name="right">The other key.</param>
    /// <returns>True if they differ.</returns>
    public static bool operator !=(OscoreStoreKey left, OscoreStoreKey right) => !left.Equals(right);

    private static void AppendNumber(ref HmacSha256 mac, int number)
    {
        Span<byte> bytes = stackalloc byte[sizeof(int)];
        System.Buffers.Binary.BinaryPrimitives.WriteInt32BigEndian(bytes, number);
        mac.Append(bytes);
    }
}
