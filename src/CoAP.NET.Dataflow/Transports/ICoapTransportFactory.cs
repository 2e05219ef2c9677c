namespace CoAP.NET;

/// <summary>Creates the transports of a scheme that the library does not support by itself, such as <c>coaps</c>.</summary>
/// <remarks>
/// See <see cref="CoapTransportOptions.Factories"/>. An endpoint that is made with the factory registers the scheme and its default
/// port for the process, so <see cref="CoapUri"/> parses its URIs.
/// </remarks>
public interface ICoapTransportFactory
{
    /// <summary>The URI scheme, in lower case: <c>coaps</c>, or one of your own, such as <c>coap+sms</c>.</summary>
    string Scheme { get; }

    /// <summary>The port of URIs of the scheme that name none: 1 to 65,535; 5684 for <c>coaps</c> (RFC 7252 section 6.2).</summary>
    int DefaultPort { get; }

    /// <summary>Whether its transports protect messages: the value of their <see cref="CoapTransport.IsSecure"/>.</summary>
    /// <remarks>A forward proxy sends to targets of a secured scheme only for clients on a secured transport.</remarks>
    bool IsSecure { get; }

    /// <summary>Checks whether the factory can make a listening transport. The endpoint calls it before it opens anything.</summary>
    /// <exception cref="ArgumentException">Something is missing, such as a certificate; the message says what to do.</exception>
    void ThrowIfCannotListen();

    /// <summary>Creates a transport. The endpoint starts and disposes it.</summary>
    /// <param name="sockets">
    /// The socket options of the endpoint. To listen, <see cref="CoapUdpTransportOptions.IsServer"/> is set and
    /// <see cref="CoapUdpTransportOptions.Endpoints"/> holds the addresses. For a transport that only sends requests, both are unset.
    /// </param>
    /// <returns>The transport. Its scheme is <see cref="Scheme"/>.</returns>
    CoapTransport Create(CoapUdpTransportOptions sockets);
}
