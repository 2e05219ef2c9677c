namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>
/// A connection without a socket: tests hand frames in on their own thread, cut as a real one would, and see what comes out.
/// </summary>
internal sealed class DirectConnection : CoapConnection
{
    private readonly Lock _gate = new();
    private readonly List<string> _sent = [];
    private readonly DirectStreamTransport _owner;
    private byte[] _rest = [];
    private int _isClosed;
    private int _frames;
    private int _pauses;
    private int _cutting;

    public DirectConnection(DirectStreamTransport transport, CoapAddress remote, bool isInitiator, ICoapPeerIdentity? identity = null,
        string? serverName = null)
        : base(transport, remote, DirectStreamTransport.Local, isInitiator)
    {
        _owner = transport;
        Identity = identity;
        ServerName = serverName;
    }

    public override bool IsCongested => IsFull;

    public override CoapConnectionTransferProgress Progress =>
        Slowness ?? new CoapConnectionTransferProgress(_frames, _rest.Length, _frames, 0) { PartialReceived = _rest.Length };

    /// <summary>What it says of its progress instead of the truth.</summary>
    public CoapConnectionTransferProgress? Slowness { get; set; }

    /// <summary>Whether it says that the peer takes nothing.</summary>
    public bool IsFull { get; set; }

    /// <summary>Whether nothing that is sent ever leaves.</summary>
    public bool IsStuck { get; set; }

    /// <summary>Whether a frame was the last, so that the connection was closed in order.</summary>
    public bool HasSentLast { get; private set; }

    /// <summary>Whether it was closed, by either side.</summary>
    public bool IsClosed => Volatile.Read(ref _isClosed) != 0;

    /// <summary>Why it was closed by our side; null when it was not, or in order.</summary>
    public CoapException? CloseReason { get; private set; }

    /// <summary>How many times reading was paused and not resumed.</summary>
    public int Pauses => Volatile.Read(ref _pauses);

    /// <summary>Called with each frame that leaves, after it was stored.</summary>
    public Action<string>? OnSent { get; set; }

    /// <summary>Called each time that reading goes on, after what waited was handed in.</summary>
    public Action? OnResumed { get; set; }

    public override void Send(CoapDatagram frame)
    {
        string hex = Wire.Hex(frame.Span);
        bool isLast = frame.IsLast;
        frame.Dispose();
        if (IsClosed || HasSentLast || IsStuck)
        {
            return;
        }

        lock (_gate)
        {
            _sent.Add(hex);
        }

        OnSent?.Invoke(hex);
        if (isLast)
        {
            HasSentLast = true;
            End(null);
        }
    }

    public override void PauseReading() => Interlocked.Increment(ref _pauses);

    public override void ResumeReading()
    {
        if (Interlocked.Decrement(ref _pauses) == 0)
        {
            Cut();
            OnResumed?.Invoke();
        }
    }

    public override void Close(CoapException? reason)
    {
        CloseReason = reason;
        End(reason);
    }

    /// <summary>Opens it, as if the peer had connected.</summary>
    /// <returns>Whether it was taken.</returns>
    public bool Open() => _owner.Context.Opened(this);

    /// <summary>Hands bytes in; they need not end where a frame ends.</summary>
    public void Receive(string hex) => Receive(Wire.Hex(hex));

    public void Receive(byte[] bytes)
    {
        lock (_gate)
        {
            _rest = [.. _rest, .. bytes];
        }

        Cut();
    }

    /// <summary>The peer closes its side.</summary>
    public void ReceiveEnd() => _owner.Context.ReceiveEnded(this);

    /// <summary>The connection breaks, or, without an error, is closed by the peer.</summary>
    public void Break(Exception? error = null) => End(error);

    /// <summary>The peer takes frames again.</summary>
    public void BecomeWritable()
    {
        IsFull = false;
        _owner.Context.CongestionEnded(this);
    }

    /// <summary>Asserts that these frames left so far, and takes them out.</summary>
    public void HasSent(params string[] all) => Assert.Equal(all, TakeSent());

    public void HasSentNothing() => Assert.Empty(TakeSent());

    /// <summary>Everything that left so far, as hexadecimal digits; taken out.</summary>
    public string[] TakeSent()
    {
        lock (_gate)
        {
            string[] all = [.. _sent];
            _sent.Clear();
            return all;
        }
    }

    // One thread at a time; whoever comes meanwhile has it look once more.
    private void Cut()
    {
        if (Interlocked.Increment(ref _cutting) != 1)
        {
            return;
        }

        int seen;
        do
        {
            seen = Volatile.Read(ref _cutting);
            while (Pauses == 0 && TakeFrame() is { } frame)
            {
                _owner.Context.Receive(frame);
            }
        }
        while (Interlocked.Add(ref _cutting, -seen) != 0);
    }

    private CoapDatagram? TakeFrame()
    {
        byte[] rest;
        lock (_gate)
        {
            rest = _rest;
        }

        if (rest.Length == 0)
        {
            return null;
        }

        long length = IsClosed ? -1 : _owner.Context.MeasureFrame(this, rest, rest.Length);
        if (length == 0 || length > rest.Length)
        {
            return null;
        }

        lock (_gate)
        {
            _rest = length < 0 ? [] : _rest[(int)length..];
        }

        if (length < 0)
        {
            return null;
        }

        _frames++;
        CoapDatagram frame = new((int)length)
        {
            Length = (int)length,
            Remote = Remote,
            Local = Local,
            Transport = Transport,
            Channel = Channel
        };
        rest.AsSpan(0, (int)length).CopyTo(frame.Buffer);
        return frame;
    }

    private void End(Exception? error)
    {
        if (Interlocked.Exchange(ref _isClosed, 1) == 0)
        {
            _owner.Context.Closed(this, error);
        }
    }
}
