namespace CoAP.NET.Dtls;

/// <summary>
/// An asynchronous store in which a server keeps the sessions that its clients may resume by a short handshake (RFC 5246 section 7.3), such
/// as a database that several servers share.
/// </summary>
/// <remarks>
/// A handshake waits at most half a second for the store, without blocking a thread: a store that is slow, unavailable or faulty causes a
/// full handshake, and never rejects a client. Several threads call it at once. The state holds secrets: protect it like a private key.
/// </remarks>
public interface ICoapDtlsResumptionStore
{
    /// <summary>Stores a session. The store may forget it at any time; the client then performs a full handshake.</summary>
    /// <param name="id">
    /// The name of the session, 1 to 32 bytes. Where servers share sessions, the first byte is a slot of
    /// this server; otherwise it is random like the others.
    /// </param>
    /// <param name="state">The state to store. The server overwrites it when the call has ended.</param>
    /// <param name="expires">When the state becomes useless.</param>
    /// <param name="cancellationToken">Cancelled when it takes too long.</param>
    /// <returns>A task that ends when the state is stored. No handshake waits for it.</returns>
    ValueTask AddAsync(ReadOnlyMemory<byte> id, ReadOnlyMemory<byte> state, DateTimeOffset expires, CancellationToken cancellationToken);

    /// <summary>Finds a session and keeps it: clients may resume it several times until it expires.</summary>
    /// <param name="id">The name of the session, 1 to 32 bytes. Any sender can have chosen it.</param>
    /// <param name="cancellationToken">Cancelled when the handshake no longer waits.</param>
    /// <returns>The state, which the caller owns and overwrites after use; null if the store does not know the session.</returns>
    ValueTask<byte[]?> FindAsync(ReadOnlyMemory<byte> id, CancellationToken cancellationToken);

    /// <summary>Removes a session that failed, so that no client resumes it (RFC 5246 section 7.2.2).</summary>
    /// <param name="id">The name of the session, 1 to 32 bytes.</param>
    /// <param name="cancellationToken">Cancelled when it takes too long.</param>
    /// <returns>A task that ends when the session is removed. No handshake waits for it.</returns>
    ValueTask RemoveAsync(ReadOnlyMemory<byte> id, CancellationToken cancellationToken);
}
