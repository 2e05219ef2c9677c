using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;

namespace CoAP.NET.Dtls.Records;

/// <summary>The keys of a session (RFC 5246 section 6.3): those of the client, those of the server, and a salt for each.</summary>
[InlineArray(Length)]
internal struct KeyBlock
{
    /// <summary>Bytes of all keys.</summary>
    public const int Length = (2 * CipherSuite.KeyLength) + (2 * CipherSuite.SaltLength);

    private byte _first;

    /// <summary>Derives the keys.</summary>
    /// <param name="master">The master secret, 48 bytes.</param>
    /// <param name="clientRandom">The random of the ClientHello, 32 bytes.</param>
    /// <param name="serverRandom">The random of the ServerHello, 32 bytes.</param>
    /// <returns>The keys.</returns>
    public static KeyBlock Derive(ReadOnlySpan<byte> master, ReadOnlySpan<byte> clientRandom, ReadOnlySpan<byte> serverRandom)
    {
        Span<byte> seed = stackalloc byte[64];
        serverRandom.CopyTo(seed);
        clientRandom.CopyTo(seed[32..]);
        KeyBlock keys = default;
        Prf.Expand(master, "key expansion"u8, seed, keys);
        return keys;
    }

    /// <summary>Overwrites the keys.</summary>
    public void Clear() => CryptographicOperations.ZeroMemory(this);

    /// <summary>The key for writing of one end.</summary>
    /// <param name="ofServer">Whether the server writes.</param>
    [UnscopedRef]
    public readonly ReadOnlySpan<byte> Key(bool ofServer) =>
        ((ReadOnlySpan<byte>)this).Slice(ofServer ? CipherSuite.KeyLength : 0, CipherSuite.KeyLength);

    /// <summary>The salt for writing of one end: the part of its nonces that stays off the wire.</summary>
    /// <param name="ofServer">Whether the server writes.</param>
    [UnscopedRef]
    public readonly ReadOnlySpan<byte> Salt(bool ofServer) =>
        ((ReadOnlySpan<byte>)this).Slice((2 * CipherSuite.KeyLength) + (ofServer ? CipherSuite.SaltLength : 0), CipherSuite.SaltLength);
}
