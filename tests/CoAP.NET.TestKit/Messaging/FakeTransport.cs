namespace CoAP.NET.Tests.Messaging;

/// <summary>A transport that only has a name: the tests stand in its place.</summary>
internal sealed class FakeTransport : CoapDatagramTransport
{
    public override string Scheme => "coap";

    public override IReadOnlyList<CoapAddress> LocalAddresses => [];

    public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken) =>
        ValueTask.CompletedTask;

    public override void Send(CoapDatagram datagram) => datagram.Dispose();

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
