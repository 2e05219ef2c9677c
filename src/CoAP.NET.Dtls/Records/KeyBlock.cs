using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;

namespace CoAP.NET.Dtls.Records;

/// <summary>The keys of a session (RFC 5246 section 6.3): those of the client, those of the server, and a salt for each.</summary>
[InlineArray(Length)]
internal struct KeyBlock
{
    /// <summary>Maximum bytes of all keys. Those of a suite with shorter keys are at the start.</summary>
    public const int Length = (2 * CipherSuite.MaxKeyLength) + (2 * CipherSuite.SaltLength);

    private byte _first;

    /// <summary>Derives the keys.</summary>
    /// <param name="suite">The cipher suite.</param>
    /// <param name="master">The master secret, 48 bytes.</param>
    /// <param name="clientRandom">The random of the ClientHello, 32 bytes.</param>
    /// <param name="serverRandom">The random of the ServerHello, 32 bytes.</param>
    /// <returns>The keys.</returns>
    public static KeyBlock Derive(
        CipherSuite suite, ReadOnlySpan<byte> master, ReadOnlySpan<byte> clientRandom, ReadOnlySpan<byte> serverRandom)
    {
        Span<byte> seed = stackalloc byte[64];
        serverRandom.CopyTo(seed);
        clientRandom.CopyTo(seed[32..]);
        KeyBlock keys = default;
        Span<byte> all = keys;
        Prf.Expand(suite.Hash, master, "key expansion"u8, seed, all[..suite.KeyBlockLength]);
        return keys;
    }

    /// <summary>Overwrites the keys.</summary>
    public void Clear() => CryptographicOperations.ZeroMemory(this);

    /// <summary>The keys of a suite: those of the client and of the server, then their salts.</summary>
    /// <param name="suite">The cipher suite.</param>
    [UnscopedRef]
    public readonly ReadOnlySpan<byte> Of(CipherSuite suite) => ((ReadOnlySpan<byte>)this)[..suite.KeyBlockLength];
}
