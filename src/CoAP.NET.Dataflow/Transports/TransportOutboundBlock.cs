namespace CoAP.NET.Transports;

/// <summary>The outbound half of the Transport stage: passes datagrams to their transports. No block is linked after it.</summary>
internal sealed class TransportOutboundBlock : InlineBlock<CoapDatagram, CoapDatagram>
{
    private readonly WireTaps _taps;

    internal TransportOutboundBlock(CoapEnvironment environment)
        : base(environment.Counters, environment.Logger) => _taps = environment.Taps;

    internal override void Process(CoapDatagram item)
    {
        if (item.Transport is not { } transport)
        {
            Counters.Add(CoapCounter.SendErrors);
            item.Dispose();
            return;
        }

        Counters.AddWithAmount(CoapCounter.DatagramsSent, CoapCounter.BytesSent, item.Length);
        if (_taps.IsOn)
        {
            _taps.See(item, isInbound: false);
        }

        transport.Send(item);
    }
}
