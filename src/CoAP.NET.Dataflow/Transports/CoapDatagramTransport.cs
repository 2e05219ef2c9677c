namespace CoAP.NET;

/// <summary>The base of datagram transports, such as UDP, SMS, a radio module or a pipe to another process.</summary>
/// <remarks>
/// Datagrams can be lost, repeated and reordered. The transport only moves datagrams; the mesh does the rest, including reliability and
/// duplicates (RFC 7252 section 4).
/// </remarks>
public abstract class CoapDatagramTransport : CoapTransport
{
    /// <summary>Always false.</summary>
    public sealed override bool IsReliable => false;

    /// <summary>Opens the sockets and starts to receive.</summary>
    /// <param name="context">The services of the endpoint, including the sink for received datagrams.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <returns>
    /// A task that completes when <see cref="CoapTransport.LocalAddresses"/> is valid and the transport receives datagrams.
    /// </returns>
    /// <exception cref="CoapException">An address cannot be bound.</exception>
    public abstract ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken);

    /// <summary>Sends a datagram and takes it over. Never throws. Several threads call it at a time.</summary>
    /// <remarks>
    /// The transport disposes the datagram after sending it. It counts a datagram that cannot be sent and reports it with
    /// <see cref="ICoapDatagramTransportContext.SendFailed"/>.
    /// </remarks>
    /// <param name="datagram">The datagram.</param>
    public abstract override void Send(CoapDatagram datagram);
}
