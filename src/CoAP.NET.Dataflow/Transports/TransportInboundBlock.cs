namespace CoAP.NET.Transports;

/// <summary>The inbound half of the Transport stage: the entry of datagrams into the mesh.</summary>
internal sealed class TransportInboundBlock : InlineBlock<CoapDatagram, CoapDatagram>
{
    private readonly WireTaps _taps;

    internal TransportInboundBlock(CoapEnvironment environment)
        : base(environment.Counters, environment.Logger) => _taps = environment.Taps;

    internal override void Process(CoapDatagram item)
    {
        Counters.AddWithAmount(CoapCounter.DatagramsReceived, CoapCounter.BytesReceived, item.Length);
        if (item.IsTruncated)
        {
            Counters.Add(CoapCounter.TruncatedDatagrams);
        }

        if (_taps.IsOn)
        {
            _taps.See(item, isInbound: true);
        }

        Offer(item);
    }
}
