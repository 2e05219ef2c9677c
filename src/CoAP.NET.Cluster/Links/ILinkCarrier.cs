using CoAP.NET.Transports;

namespace CoAP.NET.Cluster;

/// <summary>
/// Replaces TCP and TLS for the links of a node, for example in a simulation with virtual time. Like TLS it shows each end the certificate
/// of the other, and calls the callbacks of their options.
/// </summary>
internal interface ILinkCarrier
{
    /// <summary>The threads of the endpoints of links.</summary>
    CoapScheduler Scheduler { get; }

    /// <summary>Creates the transport that accepts connections.</summary>
    /// <param name="address">The address to listen on.</param>
    /// <param name="tls">The certificate and the validation of peers.</param>
    /// <param name="streams">The times of connections.</param>
    CoapTransport Listen(string address, CoapTlsOptions tls, CoapStreamOptions streams);

    /// <summary>Creates the transport that connects to another node.</summary>
    /// <param name="tls">The certificate and the validation of the other node.</param>
    /// <param name="streams">The times of connections.</param>
    CoapTransport Connect(CoapTlsOptions tls, CoapStreamOptions streams);
}
