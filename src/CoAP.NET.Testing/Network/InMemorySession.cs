using CoAP.NET.Transports;

namespace CoAP.NET.Testing.Network;

/// <summary>One end of a session over an <see cref="InMemoryNetwork"/>.</summary>
internal sealed class InMemorySession : CoapSession
{
    private readonly InMemorySessionTransport _owner;
    private InMemorySession? _other;
    private int _hasEnded;

    public InMemorySession(InMemorySessionTransport owner, CoapAddress remote, CoapAddress local, bool isInitiator,
        ICoapPeerIdentity? identity, string? serverName)
        : base(owner, isInitiator)
    {
        _owner = owner;
        Remote = remote;
        Local = local;
        Identity = identity;
        ServerName = serverName;
    }

    public override CoapAddress Remote { get; }

    public override CoapAddress Local { get; }

    /// <summary>The other end. It is notified of the end of this one, as by a close_notify that is never lost.</summary>
    public InMemorySession? Other
    {
        get => Volatile.Read(ref _other);
        set => Volatile.Write(ref _other, value);
    }

    public override void Send(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        byte[] data = datagram.Span.ToArray();
        datagram.Dispose();
        if (Volatile.Read(ref _hasEnded) == 0)
        {
            _owner.Transmit(Remote, data);
        }
    }

    public override void Close(CoapException? reason)
    {
        if (End(reason))
        {
            Other?.End(null);
        }
    }

    public void OnHeard() => OnReceived();

    private bool End(CoapException? reason)
    {
        if (Interlocked.Exchange(ref _hasEnded, 1) != 0)
        {
            return false;
        }

        _owner.OnEnded(this, reason);
        return true;
    }
}
