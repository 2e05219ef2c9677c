namespace CoAP.NET.Dtls;

/// <summary>
/// Where servers keep what their clients need to resume sessions by a short handshake (RFC 5246 section 7.3), when that is not in memory,
/// such as a database that several servers share. A handshake waits for it, half a second at most, and no thread does: a store that is
/// slow, away or fails costs a whole handshake and never a client. Called by several threads at once. What it keeps holds secrets: protect
/// it as a private key.
/// </summary>
public interface ICoapAsyncDtlsSessionStore
{
    /// <summary>Keeps a session. It may forget it at any time: then the client makes a whole handshake.</summary>
    /// <param name="id">The name of the session, 1 to 32 bytes. With steering (<see cref="CoapDtlsServerOptions.Steering"/>) the first one
    /// is a slot of this server; otherwise it is random as the others.</param>
    /// <param name="state">What is to be kept. Overwritten when the call has ended.</param>
    /// <param name="expires">When it is of no use any more.</param>
    /// <param name="cancellationToken">Cancelled when it takes too long.</param>
    /// <returns>A task that ends when it is kept. No handshake waits for it.</returns>
    ValueTask AddAsync(ReadOnlyMemory<byte> id, ReadOnlyMemory<byte> state, DateTimeOffset expires, CancellationToken cancellationToken);

    /// <summary>Finds a session, and goes on keeping it: it may be resumed several times until it expires.</summary>
    /// <param name="id">The name of the session, 1 to 32 bytes, as anybody may have sent it.</param>
    /// <param name="cancellationToken">Cancelled when nobody waits any more.</param>
    /// <returns>What was kept, which is the caller's own from now on and is overwritten after use; null when it is not known.</returns>
    ValueTask<byte[]?> FindAsync(ReadOnlyMemory<byte> id, CancellationToken cancellationToken);

    /// <summary>Forgets a session that failed, so that nobody resumes it (RFC 5246 section 7.2.2).</summary>
    /// <param name="id">The name of the session, 1 to 32 bytes.</param>
    /// <param name="cancellationToken">Cancelled when it takes too long.</param>
    /// <returns>A task that ends when it is forgotten. Nobody waits for it.</returns>
    ValueTask RemoveAsync(ReadOnlyMemory<byte> id, CancellationToken cancellationToken);
}
