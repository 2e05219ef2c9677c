namespace CoAP.NET.Transports;

/// <summary>
/// A reliable transport of connections (RFC 8323), such as TCP and TLS: the seam for streams of your own. It listens, connects, moves bytes
/// and cuts them into frames; the mesh does the rest, capabilities and signalling included.
/// </summary>
public abstract class CoapStreamTransport : CoapConnectionTransport
{
    /// <inheritdoc/>
    public sealed override bool IsReliable => true;

    /// <summary>
    /// Whether each frame is a message of what lies below, as of WebSockets: its format is that of RFC 8323 section 4.2, without a length.
    /// <see cref="ICoapStreamContext.MeasureFrame"/> is then asked when a message is whole, or has become longer than
    /// <see cref="CoapLimits.MaxStreamMessageSize"/>. Default false: a stream, and the format of section 3.2. Never changes.
    /// </summary>
    public virtual bool HasMessages => false;

    /// <summary>Binds what it serves on, and begins to receive.</summary>
    /// <param name="context">Where connections and messages go, and what the endpoint knows.</param>
    /// <param name="cancellationToken">Stops the start.</param>
    /// <returns>A task that ends when <see cref="CoapTransport.LocalAddresses"/> is valid and connections are accepted.</returns>
    /// <exception cref="CoapException">An address cannot be bound.</exception>
    public abstract ValueTask StartAsync(ICoapStreamContext context, CancellationToken cancellationToken);

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
