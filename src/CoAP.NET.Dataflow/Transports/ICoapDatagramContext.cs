namespace CoAP.NET.Transports;

/// <summary>What an endpoint gives to a transport of datagrams (<see cref="CoapDatagramTransport"/>). Thread-safe.</summary>
public interface ICoapDatagramContext : ICoapTransportContext
{
    /// <summary>
    /// Says which datagrams are handed in next, one after another: what is known of their peers is fetched from memory meanwhile, of all of
    /// them at once. Only a hint, for a transport that received several together; nothing depends on it.
    /// </summary>
    /// <param name="datagrams">The datagrams; not taken over. Only the first 64 are looked at.</param>
    void Expect(ReadOnlySpan<CoapDatagram> datagrams);

    /// <summary>
    /// Says that a datagram could not be sent at all. A <see cref="System.Net.Sockets.SocketException"/> that will not pass fails the
    /// request at once: no socket of that address family, too long, forbidden, an invalid argument. Anything else, such as no route, is
    /// transient: retransmission goes on. Not to be called under a lock of the transport.
    /// </summary>
    /// <param name="datagram">The datagram; not taken over.</param>
    /// <param name="error">What the operating system said.</param>
    void SendFailed(CoapDatagram datagram, Exception error);

    /// <summary>
    /// Says that the peer's host reported its port unreachable and quoted a datagram of ours (ICMP; RFC 7252 section 4.2). Anyone can send
    /// such a report: the quoted bytes are compared with what was sent.
    /// </summary>
    /// <param name="remote">Where our datagram went.</param>
    /// <param name="local">Where it was sent from.</param>
    /// <param name="quoted">The beginning of our datagram, as quoted; at least its first 4 bytes.</param>
    void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted);
}
