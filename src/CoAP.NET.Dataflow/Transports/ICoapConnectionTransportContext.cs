namespace CoAP.NET;

/// <summary>
/// The services of an endpoint for a transport of connections or sessions (<see cref="CoapConnectionTransport"/>). Thread-safe.
/// </summary>
/// <remarks>
/// <see cref="ICoapStreamTransportContext"/> adds those for connections of a stream.
/// </remarks>
public interface ICoapConnectionTransportContext : ICoapTransportContext
{
    /// <summary>Reports a new connection or session and gives it its channel.</summary>
    /// <remarks>
    /// On a stream, the local CSM is the first message sent (RFC 8323 section 3.3). Call it before anything is received on the connection.
    /// Do not call it under a lock of the transport.
    /// </remarks>
    /// <param name="connection">The connection.</param>
    /// <returns>
    /// False when the endpoint refuses the connection because a limit is reached or the endpoint stops. The transport then closes it and
    /// reports nothing more about it.
    /// </returns>
    bool Opened(CoapConnection connection);

    /// <summary>Reports the end of a connection, once, after its last frame was handed in.</summary>
    /// <remarks>Do not call it under a lock of the transport.</remarks>
    /// <param name="connection">The connection.</param>
    /// <param name="error">The cause; null for an orderly end.</param>
    void Closed(CoapConnection connection, Exception? error);
}
