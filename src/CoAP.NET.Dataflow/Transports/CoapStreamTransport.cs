namespace CoAP.NET;

/// <summary>The base of reliable connection transports (RFC 8323), such as TCP and TLS, and of custom ones.</summary>
/// <remarks>
/// The transport listens, connects, moves bytes and cuts them into frames. The mesh does the rest, including capabilities and signalling.
/// </remarks>
public abstract class CoapStreamTransport : CoapConnectionTransport
{
    /// <inheritdoc/>
    public sealed override bool IsReliable => true;

    /// <summary>Whether each frame is a message of the layer below, as with WebSockets. Default false: a stream.</summary>
    /// <remarks>
    /// If true, the format is that of RFC 8323 section 4.2, without a length; otherwise that of section 3.2. Call
    /// <see cref="ICoapStreamTransportContext.MeasureFrame"/> when a message is complete, or has become longer than
    /// <see cref="CoapConnectionLimits.MaxMessageSize"/>. The value never changes.
    /// </remarks>
    public virtual bool HasMessages => false;

    /// <summary>Binds the addresses and starts to receive.</summary>
    /// <param name="context">The services of the endpoint, including the sink for connections and messages.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <returns>
    /// A task that completes when <see cref="CoapTransport.LocalAddresses"/> is valid and the transport accepts connections.
    /// </returns>
    /// <exception cref="CoapException">An address cannot be bound.</exception>
    public abstract ValueTask StartAsync(ICoapStreamTransportContext context, CancellationToken cancellationToken);

    /// <summary>Sends a frame on the connection of its channel.</summary>
    /// <param name="datagram">The frame; taken over.</param>
    public sealed override void Send(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        if (datagram.Channel?.Connection is { } connection)
        {
            connection.Send(datagram);
        }
        else
        {
            datagram.Dispose();
        }
    }
}
