namespace CoAP.NET.Dtls;

/// <summary>Finds the pre-shared keys of clients (RFC 7252 section 9.1.3.1).</summary>
/// <remarks>
/// The server calls it once per full handshake, when a client resumes a session, and when a session of an earlier process or another server
/// first receives or sends. Only that handshake or session waits.
/// </remarks>
public interface ICoapPskStore
{
    /// <summary>Finds the key of a client.</summary>
    /// <param name="identity">
    /// The PSK identity that the client claims (RFC 4279), up to 128 bytes of UTF-8. The client has not proven anything yet.
    /// </param>
    /// <param name="cancellationToken">Cancelled when the handshake took too long.</param>
    /// <returns>The key, 1 to 64 bytes; empty when there is none. The client does not learn whether the identity or the key was
    /// wrong.</returns>
    ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken);
}
