namespace CoAP.NET.Transports;

/// <summary>
/// What a context of sessions (<see cref="ICoapSessionTransportContext"/>) can do for sessions that move between servers or processes.
/// Without it sessions stay where they are.
/// </summary>
internal interface ICoapSessionHandoverContext
{
    /// <summary>
    /// Derives keys from <see cref="CoapMultiProcessOptions.SharedSecret"/>, which other processes can derive too. The transport disposes
    /// them.
    /// </summary>
    /// <param name="purpose">The purpose of the keys.</param>
    /// <param name="epoch">The duration of an epoch; at least twice <see cref="RotatingKeyProvider.MaxClockDifference"/>.</param>
    /// <returns>The keys; null when the endpoint shares no secret.</returns>
    RotatingKeyProvider? SharedKeysFor(string purpose, TimeSpan epoch);

    /// <summary>Whether a session has pending requests in either direction, or unacknowledged Confirmable responses to its peer.</summary>
    /// <remarks>Do not call this method, or the following ones, under a lock of the transport.</remarks>
    /// <returns>True if there are such exchanges; false once the session has ended.</returns>
    bool IsBusy(CoapSession session);

    /// <summary>
    /// Refuses new requests from the peer of a session that moves to another server, and waits for the pending exchanges.
    /// </summary>
    /// <remarks>
    /// It waits until the requests of the peer and those to the peer are answered. It waits for a request that the peer has not
    /// acknowledged for ACK_TIMEOUT times ACK_RANDOM_FACTOR at most. A refused request has no effect and gets no answer, so the peer
    /// repeats it at the other server.
    /// </remarks>
    /// <param name="session">The session.</param>
    /// <param name="cancellationToken">Cancels the wait; the endpoint still refuses requests.</param>
    /// <returns>
    /// A task that completes when the session is not <see cref="IsBusy"/> any more, or is busy only with a peer that does not answer.
    /// </returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    Task FinishAsync(CoapSession session, CancellationToken cancellationToken);

    /// <summary>Stops accepting messages of a session that continues at another server or in another process.</summary>
    /// <remarks>Call <see cref="ICoapConnectionTransportContext.Closed"/> afterwards.</remarks>
    /// <returns>
    /// The Message IDs from the peer that must not be processed twice, with the answers (RFC 7252 section 4.5). Pass it to
    /// <see cref="Resume"/> at the other server. Up to 32 KiB, and mostly empty.
    /// </returns>
    ReadOnlyMemory<byte> ExportState(CoapSession session);

    /// <summary>Continues a session of another server or process, so copies of already processed messages get the same answers.</summary>
    /// <remarks>Call it after <see cref="ICoapConnectionTransportContext.Opened"/> and before the first message of the session.</remarks>
    /// <param name="session">The session.</param>
    /// <param name="retired">The result of <see cref="ExportState"/> at the other server. Other data is ignored.</param>
    void Resume(CoapSession session, ReadOnlySpan<byte> retired);
}
