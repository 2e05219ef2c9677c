using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>
/// What stands at an address of an <see cref="InMemoryNetwork"/>. Called by the network's pump, one call at a time, outside its lock.
/// </summary>
internal interface INetworkReceiver
{
    void Deliver(NetworkPacket packet, CoapAddress local);

    void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted);

    void TooLong(NetworkPacket packet, CoapAddress local);
}
