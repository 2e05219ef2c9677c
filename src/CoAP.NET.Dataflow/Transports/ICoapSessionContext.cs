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
}
