namespace CoAP.NET.Dtls.Steering;

/// <summary>The interface of a <c>coaps</c> server to its <see cref="ICoapDtlsSteering"/>. Thread-safe.</summary>
internal sealed class CoapDtlsSteeringContext
{
    private readonly SessionSteering _steering;

    internal CoapDtlsSteeringContext(SessionSteering steering) => _steering = steering;

    /// <summary>How long <see cref="ReleaseAsync"/> waits for pending requests in the sessions of a slot: 5 s.</summary>
    public static TimeSpan GracePeriod { get; } = TimeSpan.FromSeconds(5);

    /// <summary>Processes a datagram that another server relayed or that the steering held back.</summary>
    /// <param name="via">
    /// A number above 0 that the steering assigns to the relaying server: answers go through <see cref="ICoapDtlsSteering.TrySendVia"/>
    /// until the client reaches this server directly, or by another way. 0: the datagram came to this server.
    /// </param>
    /// <param name="remote">Where the datagram came from.</param>
    /// <param name="datagram">The datagram. The server decrypts it in place.</param>
    /// <returns>
    /// True if the server used it. False if no session here matches, the datagram is not authentic or too long, and before the start and
    /// after the stop of the server. Counted in <c>RecordsRejected</c>.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="via"/> is negative.</exception>
    /// <remarks>
    /// The server trusts only its address, and processes it like any datagram from there. It does not offer the datagram to the steering
    /// for another relay, which prevents loops.
    /// </remarks>
    public bool Receive(int via, CoapAddress remote, Span<byte> datagram)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(via);
        return _steering.Receive(via, remote, datagram);
    }

    /// <summary>
    /// Sends a datagram of another server, received through <see cref="ICoapDtlsSteering.TrySendVia"/>, to a client of this one.
    /// </summary>
    /// <param name="remote">The destination.</param>
    /// <param name="datagram">The datagram. Copied.</param>
    /// <returns>
    /// True if the server sent it. False for an address that is not reachable, an empty or too long datagram, and before the start and
    /// after the stop of the server.
    /// </returns>
    /// <remarks>It leaves from the local address that last received from the client, if that is recent.</remarks>
    public bool Send(CoapAddress remote, ReadOnlySpan<byte> datagram) => _steering.Send(remote, datagram);

    /// <summary>Hands all sessions of a slot over to another server.</summary>
    /// <remarks>
    /// Each session ends here without a message to its client, and the backup (<see cref="CoapDtlsServerOptions.SessionBackup"/>) gets its
    /// exact state (<see cref="CoapDtlsSessionChangeKind.Stopped"/>). The session continues at the next server with the next record.
    /// <see cref="ICoapDtlsSteering.SlotOfNewSession"/> must not return the slot any more. The server gives up handshakes that already have
    /// the slot, and their clients start again. The slot may come back later. The server finishes pending requests, for
    /// <see cref="GracePeriod"/> at most. Once a session, and in the end the whole slot, starts no more requests, a new request gets no
    /// answer and has no effect: <see cref="ICoapDtlsSteering.TryEnqueue"/> gets it for the next server. Clients retransmit the requests
    /// that it does not hold, if they are Confirmable. The state includes Message IDs and answers of requests other than GET and FETCH, so
    /// that no server executes a duplicate. A request that still runs after the grace period gets no answer; if it is not idempotent, the
    /// next server does not execute its duplicates. Requests of this server to the clients fail.
    /// </remarks>
    /// <param name="slot">The slot.</param>
    /// <param name="cancellationToken">
    /// Ends the grace period and the wait for the backup; the slot has no sessions here nevertheless. A token that is already cancelled
    /// gives no grace, as for a slot that another server has taken.
    /// </param>
    /// <returns>A task that ends when the slot has no sessions here, and the backup has confirmed all states.</returns>
    /// <exception cref="TimeoutException">
    /// The backup has not confirmed within <see cref="CoapDtlsSessionBackupOptions.ConfirmTimeout"/>. The slot has no sessions here. A
    /// server that loads them treats them as after a crash.
    /// </exception>
    /// <exception cref="OperationCanceledException">The caller cancelled it.</exception>
    public Task ReleaseAsync(byte slot, CancellationToken cancellationToken) => _steering.ReleaseAsync(slot, cancellationToken);

    /// <summary>Lets the server process datagrams for a limited time from now on.</summary>
    /// <remarks>
    /// Before the first call there is no limit. After the time, the server ignores all datagrams, from its sockets and from other servers,
    /// until the next call: it opens no record, so a duplicate of a record stays valid, and it answers no ClientHello. Counted in
    /// <c>RecordsRejected</c>. Use it for a server that may have lost its slots while its process was suspended: renew
    /// the time several times per period while the server still owns them.
    /// </remarks>
    /// <param name="time">
    /// How long, by the clock of the server; zero: process none; <see cref="Timeout.InfiniteTimeSpan"/>: without end.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="time"/> is negative, and not infinite.</exception>
    public void ServeFor(TimeSpan time)
    {
        if (time != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero);
        }

        _steering.ServeFor(time);
    }

    /// <summary>The sockets of the server, or null if it has none of its own.</summary>
    public CoapUdpTransport? Sockets => _steering.Sockets;

    /// <summary>Counts the sessions of a slot on this server.</summary>
    /// <param name="slot">The slot.</param>
    /// <returns>The number; 0 after the server has stopped.</returns>
    public int SessionsOf(byte slot) => _steering.SessionsOf(slot);
}
