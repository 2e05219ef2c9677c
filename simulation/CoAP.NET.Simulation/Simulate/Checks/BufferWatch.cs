namespace CoAP.NET.Simulation.Simulate;

/// <summary>
/// Remembers every datagram that came into an endpoint or left its serializer, to find those whose buffer was not given back.
/// </summary>
internal sealed class BufferWatch
{
    private readonly HashSet<CoapDatagram> _seen = new(ReferenceEqualityComparer.Instance);

    public int Lost => _seen.Count(datagram => datagram.IsOut);

    public void WatchOver(CoapPipelineOptions options) => options
        .Insert(CoapStageLinks.TransportToChannel, () => new StageLinkBlock<CoapDatagram>(See))
        .Insert(CoapStageLinks.SerializerToChannel, () => new StageLinkBlock<CoapDatagram>(See));

    private CoapDatagram See(CoapDatagram datagram)
    {
        _seen.Add(datagram);
        return datagram;
    }
}
