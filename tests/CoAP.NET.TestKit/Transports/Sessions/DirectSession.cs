using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Transports.Sessions;

/// <summary>A session without cryptography: tests hand messages in on their own thread and see what comes out, and where to.</summary>
internal sealed class DirectSession : CoapSession
{
    private readonly Lock _gate = new();
    private readonly List<(string Hex, CoapAddress To)> _sent = [];
    private readonly DirectSessionTransport _owner;
    private CoapAddress _remote;
    private int _isClosed;

    public DirectSession(DirectSessionTransport transport, CoapAddress remote, CoapAddress local, bool isInitiator,
        ICoapPeerIdentity? identity = null, string? serverName = null)
        : base(transport, isInitiator)
    {
        _owner = transport;
        _remote = remote;
        Local = local;
        Identity = identity;
        ServerName = serverName;
    }

    public override CoapAddress Remote => _remote;

    public override CoapAddress Local { get; }

    /// <summary>The name by which another process goes on with it.</summary>
    public byte[] Durable { get; set; } = [];

    public override ReadOnlyMemory<byte> DurableId => Durable;

    /// <summary>Whether it was closed, by either side.</summary>
    public bool IsClosed => Volatile.Read(ref _isClosed) != 0;

    /// <summary>How many times our side wished to close it.</summary>
    public int Closings { get; private set; }

    public CoapException? CloseReason { get; private set; }

    /// <summary>Datagrams that came back to their pool or died: what was taken over and not disposed would be missing.</summary>
    public int Sent { get; private set; }

    /// <summary>Whether what leaves is not even copied, for tests that count allocations.</summary>
    public bool Discards { get; set; }

    public override void Send(CoapDatagram datagram)
    {
        Sent++;
        if (Discards)
        {
            datagram.Dispose();
            return;
        }

        string hex = Wire.Hex(datagram.Span);
        Assert.Same(Channel, datagram.Channel);
        datagram.Dispose();
        if (IsClosed)
        {
            return;
        }

        lock (_gate)
        {
            _sent.Add((hex, _remote));
        }

        if (IsInitiator && _owner.Answers?.Invoke(this, hex) is { } answer && !IsClosed)
        {
            Receive(answer);
        }
    }

    public override void Close(CoapException? reason)
    {
        Closings++;
        CloseReason = reason;
        if (!_owner.IsSlowToClose)
        {
            End(reason);
        }
    }

    /// <summary>An authentic message comes.</summary>
    public void Receive(string hex) => Receive(Wire.Hex(hex));

    public void Receive(ReadOnlySpan<byte> bytes)
    {
        OnReceived();
        CoapDatagram datagram = new(bytes.Length)
        {
            Length = bytes.Length,
            Remote = Remote,
            Local = Local,
            Transport = Transport,
            Channel = Channel
        };
        bytes.CopyTo(datagram.Buffer);
        _owner.Context.Receive(datagram);
    }

    /// <summary>An authentic message, newer than all before, comes from another address; null for one that is for nobody above.</summary>
    public void ReceiveFrom(CoapAddress remote, string? hex)
    {
        CoapAddress before = _remote;
        _remote = remote;
        _owner.Context.Moved(this, before);
        if (hex is not null)
        {
            Receive(hex);
        }
    }

    /// <summary>The session breaks, or, without an error, is closed by the peer.</summary>
    public void End(Exception? error = null)
    {
        if (Interlocked.Exchange(ref _isClosed, 1) == 0)
        {
            _owner.Context.Closed(this, error);
        }
    }

    /// <summary>Asserts that these messages left so far, and takes them out.</summary>
    public void HasSent(params string[] all) => Assert.Equal(all, TakeSent());

    public void HasSentNothing() => Assert.Empty(TakeSent());

    /// <summary>Everything that left so far, as hexadecimal digits; taken out.</summary>
    public string[] TakeSent()
    {
        lock (_gate)
        {
            string[] all = [.. _sent.Select(item => item.Hex)];
            _sent.Clear();
            return all;
        }
    }

    /// <summary>Everything that left so far, and the address that the peer had then; taken out.</summary>
    public (string Hex, CoapAddress To)[] TakeAll()
    {
        lock (_gate)
        {
            (string, CoapAddress)[] all = [.. _sent];
            _sent.Clear();
            return all;
        }
    }
}
