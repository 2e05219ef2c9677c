using CoAP.NET.Cluster;
using CoAP.NET.Testing;
using CoAP.NET.Transports;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>Carries the links of a node.</summary>
/// <param name="wires">The connections of all nodes.</param>
/// <param name="time">The life of the node.</param>
/// <param name="scheduler">Its threads.</param>
/// <param name="address">Where it listens.</param>
internal sealed class NodeLinks(LinkWires wires, NodeTime time, CoapScheduler scheduler, CoapAddress address) : ILinkCarrier
{
    public CoapScheduler Scheduler => scheduler;

    public CoapTransport Listen(string at, CoapTlsOptions tls, CoapStreamOptions streams) =>
        new LinkTransport(wires, time, address, tls, streams, isListening: true);

    public CoapTransport Connect(CoapTlsOptions tls, CoapStreamOptions streams) =>
        new LinkTransport(wires, time, address, tls, streams, isListening: false);
}
