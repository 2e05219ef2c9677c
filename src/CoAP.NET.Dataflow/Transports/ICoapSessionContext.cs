namespace CoAP.NET.Transports;

/// <summary>
/// What an endpoint gives to a transport of security sessions over datagrams (<see cref="CoapSessionTransport"/>, RFC 7252 section 9.1).
/// Thread-safe.
/// </summary>
public interface ICoapSessionContext : ICoapConnectionContext
{
    /// <summary>
    /// Says that the peer of a session has another address, as an authentic message newer than all before it came from there (RFC 9146
    /// section 6). Until the peer has shown that it receives there, it gets little; it is asked at once. Not to be called under a lock of
    /// the transport.
    /// </summary>
    /// <param name="session">The session; <see cref="CoapSession.Remote"/> is the new address already.</param>
    /// <param name="from">The address before.</param>
    void Moved(CoapSession session, CoapAddress from);

    /// <summary>
    /// Asks the peer of a session by an Empty Confirmable message, which waits for no other message, whether it is there (RFC 7252 section
    /// 4.3). Not to be called under a lock of the transport.
    /// </summary>
    /// <param name="session">The session.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    /// <returns>A task that ends when the peer has answered by a Reset.</returns>
    /// <exception cref="CoapException">It did not answer, or the session has ended.</exception>
    Task PingAsync(CoapSession session, CancellationToken cancellationToken);

    /// <summary>
    /// Keys that other processes have as well, as they follow from <see cref="CoapEndpointOptions.SharedSecret"/>. The transport disposes
    /// of them.
    /// </summary>
    /// <param name="purpose">What they are for.</param>
    /// <param name="epoch">How long one is the newest; at least twice <see cref="CoapEpochKeys.MaxClockDifference"/>.</param>
    /// <returns>The keys; null where the endpoint shares no secret.</returns>
    CoapEpochKeys? SharedKeysFor(string purpose, TimeSpan epoch);

    /// <summary>
    /// Whether requests of the peer of a session, or of ours to it, are under way, or Confirmable answers to those of the peer are not
    /// acknowledged. Not to be called under a lock of the transport, as the following.
    /// </summary>
    /// <param name="session">The session.</param>
    /// <returns>Whether there are such; false once the session has ended.</returns>
    bool IsBusy(CoapSession session);

    /// <summary>
    /// Takes no new request of the peer of a session any more, as it is to go on at another server, and waits until those under way are
    /// answered, and our requests to it: of these, one that it has not acknowledged for ACK_TIMEOUT times ACK_RANDOM_FACTOR at most. What
    /// is refused has no effect and gets no answer, so that the peer repeats it there.
    /// </summary>
    /// <param name="session">The session.</param>
    /// <param name="cancellationToken">Ends the waiting; requests are refused nevertheless.</param>
    /// <returns>A task that ends when the session is not <see cref="IsBusy"/> any more, or is so by a peer that does not answer.</returns>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    Task FinishAsync(CoapSession session, CancellationToken cancellationToken);

    /// <summary>
    /// Takes nothing more of a session that goes on at another server or in another process; to be followed by
    /// <see cref="ICoapConnectionContext.Closed"/>.
    /// </summary>
    /// <param name="session">The session.</param>
    /// <returns>The Message IDs of what its peer has sent, which must not be carried out twice, with the answers (RFC 7252 section 4.5): to
    /// be given to <see cref="Resume"/> there. Up to 32 KiB, and mostly empty.</returns>
    ReadOnlyMemory<byte> Retire(CoapSession session);

    /// <summary>
    /// Goes on with a session that another server or process had, after <see cref="ICoapConnectionContext.Opened"/> and before its first
    /// message: copies of what was carried out there are answered as there.
    /// </summary>
    /// <param name="session">The session.</param>
    /// <param name="retired">What <see cref="Retire"/> gave there. Something else is ignored.</param>
    void Resume(CoapSession session, ReadOnlySpan<byte> retired);
}
