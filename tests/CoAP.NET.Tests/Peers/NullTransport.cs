namespace CoAP.NET.Tests.Peers;

/// <summary>Carries nothing.</summary>
/// <param name="onWake">What it does when it is woken.</param>
internal sealed class NullTransport(Action? onWake = null) : CoapDatagramTransport
{
    public override string Scheme => "coap";

    public override IReadOnlyList<CoapAddress> LocalAddresses => [];

    public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken) =>
        ValueTask.CompletedTask;

    public override void Wake() => onWake?.Invoke();

    public override void Send(CoapDatagram datagram) => datagram.Dispose();

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
