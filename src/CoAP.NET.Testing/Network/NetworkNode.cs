using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>Something with an address on the network. Its address as others see it differs from its own behind a NAT.</summary>
internal sealed class NetworkNode(CoapAddress inside, INetworkReceiver receiver)
{
    public CoapAddress Inside { get; } = inside;

    public CoapAddress Outside { get; set; } = inside;

    public INetworkReceiver Receiver { get; } = receiver;

    public HashSet<CoapAddress> Groups { get; } = [];
}
