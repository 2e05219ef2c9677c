namespace CoAP.NET;

/// <summary>The services of an endpoint for a datagram transport (<see cref="CoapDatagramTransport"/>). Thread-safe.</summary>
public interface ICoapDatagramTransportContext : ICoapTransportContext
{
    /// <summary>Reports a datagram that could not be sent.</summary>
    /// <remarks>
    /// A permanent <see cref="System.Net.Sockets.SocketException"/> fails the request at once: no socket of that address family, too long,
    /// forbidden, an invalid argument. Any other error, such as no route, is transient, and retransmission continues. Do not call it under
    /// a lock of the transport.
    /// </remarks>
    /// <param name="datagram">The datagram; not taken over.</param>
    /// <param name="error">The error of the operating system.</param>
    void SendFailed(CoapDatagram datagram, Exception error);

    /// <summary>
    /// Reports that the peer's host declared its port unreachable and quoted a sent datagram (ICMP; RFC 7252 section 4.2).
    /// </summary>
    /// <remarks>Anyone can forge such a report, so the endpoint compares the quoted bytes with the sent ones.</remarks>
    /// <param name="remote">The destination of the sent datagram.</param>
    /// <param name="local">The source of the sent datagram.</param>
    /// <param name="quoted">The quoted beginning of the sent datagram; at least its first 4 bytes.</param>
    void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted);
}
