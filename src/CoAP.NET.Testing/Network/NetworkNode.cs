namespace CoAP.NET.Testing.Network;

/// <summary>A host with an address on the network. Behind a NAT, others see a different address than its own.</summary>
internal sealed class NetworkNode(CoapAddress inside, INetworkReceiver receiver)
{
    public CoapAddress Inside { get; } = inside;

    public CoapAddress Outside { get; set; } = inside;

    public INetworkReceiver Receiver { get; } = receiver;

    public HashSet<CoapAddress> Groups { get; } = [];
}
