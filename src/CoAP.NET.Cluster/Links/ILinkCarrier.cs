using CoAP.NET.Transports;

namespace CoAP.NET.Cluster;

/// <summary>
/// Carries the links of a node in place of TCP and TLS, as in a simulation, where connections have virtual time. It shows both ends the
/// certificates of the other, and asks them by the callbacks of their options, as TLS would.
/// </summary>
internal interface ILinkCarrier
{
    /// <summary>The threads of the endpoints of links.</summary>
    CoapScheduler Scheduler { get; }

    /// <summary>Makes the transport by which a node takes connections.</summary>
    /// <param name="address">Where it listens.</param>
    /// <param name="tls">What it shows, and whom it lets in.</param>
    /// <param name="streams">The times of connections.</param>
    CoapTransport Listen(string address, CoapTlsOptions tls, CoapStreamOptions streams);

    /// <summary>Makes the transport by which a node connects to another one.</summary>
    /// <param name="tls">What it shows, and whom it takes for the other node.</param>
    /// <param name="streams">The times of connections.</param>
    CoapTransport Connect(CoapTlsOptions tls, CoapStreamOptions streams);
}
