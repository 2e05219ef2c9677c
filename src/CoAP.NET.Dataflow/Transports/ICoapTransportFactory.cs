namespace CoAP.NET.Transports;

/// <summary>
/// Makes the transports of a scheme that the library has none for by itself, such as <c>coaps</c>: see
/// <see cref="CoapEndpointOptions.TransportFactories"/>.
/// </summary>
public interface ICoapTransportFactory
{
    /// <summary>The URI scheme, such as <c>coaps</c>. Its default port is that of RFC 7252 section 6 for this scheme.</summary>
    string Scheme { get; }

    /// <summary>Called when an address of the scheme is to be listened on, before anything is opened.</summary>
    /// <exception cref="ArgumentException">That cannot be done, as something is missing, such as a certificate; the message says what to
    /// do.</exception>
    void ThrowIfCannotListen();

    /// <summary>Makes a transport; the endpoint starts and disposes it.</summary>
    /// <param name="sockets">What the endpoint says about sockets. To listen, <see cref="CoapUdpTransportOptions.IsServer"/> is set, and
    /// <see cref="CoapUdpTransportOptions.Endpoints"/> are the addresses; for a transport that only requests neither is.</param>
    /// <returns>The transport, whose scheme is <see cref="Scheme"/>.</returns>
    CoapTransport Create(CoapUdpTransportOptions sockets);
}
