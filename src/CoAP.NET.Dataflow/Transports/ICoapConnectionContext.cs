namespace CoAP.NET.Transports;

/// <summary>
/// What an endpoint gives to any transport on which something is opened before messages move (<see cref="CoapConnectionTransport"/>): the
/// connections of a stream (<see cref="ICoapStreamContext"/>) and security sessions (<see cref="ICoapSessionContext"/>). Thread-safe.
/// </summary>
public interface ICoapConnectionContext : ICoapTransportContext
{
    /// <summary>
    /// Says that a connection or session was opened: it gets its channel. On a stream our CSM is the first thing sent (RFC 8323 section
    /// 3.3). To be called before anything is received on it. Not to be called under a lock of the transport.
    /// </summary>
    /// <param name="connection">The connection.</param>
    /// <returns>
    /// False when it is refused, as a bound is reached or the endpoint stops; then the transport closes it and says nothing more of it.
    /// </returns>
    bool Opened(CoapConnection connection);

    /// <summary>
    /// Says that a connection has ended, once, after its last frame was handed in. Not to be called under a lock of the transport.
    /// </summary>
    /// <param name="connection">The connection.</param>
    /// <param name="error">Why; null for an orderly end.</param>
    void Closed(CoapConnection connection, Exception? error);
}
