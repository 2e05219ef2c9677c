using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Peers;

/// <summary>Carries nothing.</summary>
internal sealed class NullTransport : CoapTransport
{
    public override string Scheme => "coap";

    public override IReadOnlyList<CoapAddress> LocalAddresses => [];

    public override ValueTask StartAsync(CoapTransportContext context, CancellationToken cancellationToken) => ValueTask.CompletedTask;

    public override void Send(CoapDatagram datagram) => datagram.Dispose();

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
