namespace CoAP.NET.Transports;

/// <summary>
/// A transport of datagrams, which may be lost, repeated and reordered, such as UDP: the seam for SMS, a radio module, a pipe to another
/// process. It moves datagrams; the mesh does the rest, reliability and duplicates included (RFC 7252 section 4).
/// </summary>
public abstract class CoapDatagramTransport : CoapTransport
{
    /// <summary>Always false.</summary>
    public sealed override bool IsReliable => false;

    /// <summary>Opens sockets and begins to receive.</summary>
    /// <param name="context">Where received datagrams go, and what the endpoint knows.</param>
    /// <param name="cancellationToken">Stops the start.</param>
    /// <returns>A task that ends when <see cref="CoapTransport.LocalAddresses"/> is valid and datagrams are received.</returns>
    /// <exception cref="CoapException">An address cannot be bound.</exception>
    public abstract ValueTask StartAsync(ICoapDatagramContext context, CancellationToken cancellationToken);

    /// <summary>
    /// Sends a datagram and takes it over: it is disposed when it has left. Never throws; what cannot be sent is counted and reported by
    /// <see cref="ICoapDatagramContext.SendFailed"/>. Called by several threads at a time.
    /// </summary>
    /// <param name="datagram">The datagram.</param>
    public abstract override void Send(CoapDatagram datagram);
}
