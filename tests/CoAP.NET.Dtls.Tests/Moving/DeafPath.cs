namespace CoAP.NET.Dtls.Tests.Moving;

/// <summary>
/// Brings what a server sends to its client, and nothing of the client's session to the server, as where another server has it by now. A
/// handshake comes through, and ends that.
/// </summary>
internal sealed class DeafPath(IPEndPoint server) : NatRelay(server)
{
    private const byte Handshake = 22;

    private volatile bool _isDeaf;

    public bool IsDeaf
    {
        get => _isDeaf;
        set => _isDeaf = value;
    }

    protected override IReadOnlyList<byte[]> Pass(byte[] datagram, bool isOfClient)
    {
        if (isOfClient && _isDeaf)
        {
            _isDeaf = datagram[0] != Handshake;
        }

        return isOfClient && _isDeaf ? [] : base.Pass(datagram, isOfClient);
    }
}
