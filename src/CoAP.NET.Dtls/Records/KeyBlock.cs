namespace CoAP.NET.Dtls.Records;

/// <summary>
/// The keys of a session (RFC 5246 section 6.3): those of the client and of the server, then a salt for each. Their length is
/// <see cref="CipherSuite.KeyBlockLength"/>.
/// </summary>
internal static class KeyBlock
{
    /// <summary>Derives the keys.</summary>
    /// <param name="suite">The cipher suite.</param>
    /// <param name="master">The master secret, 48 bytes.</param>
    /// <param name="clientRandom">The random of the ClientHello, 32 bytes.</param>
    /// <param name="serverRandom">The random of the ServerHello, 32 bytes.</param>
    /// <returns>The keys, which the caller overwrites after use.</returns>
    public static byte[] Derive(
        CipherSuite suite, ReadOnlySpan<byte> master, ReadOnlySpan<byte> clientRandom, ReadOnlySpan<byte> serverRandom)
    {
        Span<byte> seed = stackalloc byte[64];
        serverRandom.CopyTo(seed);
        clientRandom.CopyTo(seed[32..]);
        byte[] keys = new byte[suite.KeyBlockLength];
        Prf.Expand(suite.Hash, master, "key expansion"u8, seed, keys);
        return keys;
    }
}
