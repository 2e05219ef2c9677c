namespace CoAP.NET.Testing.Network;

/// <summary>
/// The receiver at an address of an <see cref="InMemoryNetwork"/>. The network's pump calls it, one call at a time, outside its lock.
/// </summary>
internal interface INetworkReceiver
{
    void Deliver(NetworkPacket packet, CoapAddress local);

    void PortUnreachable(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> quoted);

    void TooLong(NetworkPacket packet, CoapAddress local);
}
