namespace CoAP.NET.Transports;

/// <summary>
/// The services of an endpoint for a transport of security sessions over datagrams (<see cref="CoapSessionTransport"/>, RFC 7252 section
/// 9.1). Thread-safe.
/// </summary>
internal interface ICoapSessionTransportContext : ICoapConnectionTransportContext
{
    /// <summary>Reports that the peer of a session has a new address (RFC 9146 section 6).</summary>
    /// <remarks>
    /// The transport calls it when an authentic message, newer than all before it, came from another address. The endpoint immediately asks
    /// the peer whether it receives there, and sends it little until it answers. Do not call it under a lock of the transport.
    /// </remarks>
    /// <param name="session">The session. <see cref="CoapSession.Remote"/> is already the new address.</param>
    /// <param name="from">The previous address.</param>
    void Moved(CoapSession session, CoapAddress from);

    /// <summary>Pings the peer of a session with an Empty Confirmable message (RFC 7252 section 4.3).</summary>
    /// <remarks>The ping does not wait for other messages. Do not call it under a lock of the transport.</remarks>
    /// <returns>A task that completes when the peer has answered with a Reset.</returns>
    /// <exception cref="CoapException">The peer did not answer, or the session has ended.</exception>
    Task PingAsync(CoapSession session, CancellationToken cancellationToken);
}
