namespace CoAP.NET.Dtls;

/// <summary>
/// Knows the pre-shared keys of clients (RFC 7252 section 9.1.3.1). Asked once for each handshake; the handshake waits, nobody else does.
/// </summary>
public interface ICoapPskStore
{
    /// <summary>Finds the key of a client.</summary>
    /// <param name="identity">Who the client says it is: its PSK identity (RFC 4279), up to 128 bytes of UTF-8. Nothing is proven
    /// yet.</param>
    /// <param name="cancellationToken">Cancelled when the handshake took too long.</param>
    /// <returns>The key, 1 to 64 bytes; empty when there is none. The client does not learn whether the identity or the key was
    /// wrong.</returns>
    ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken);
}
