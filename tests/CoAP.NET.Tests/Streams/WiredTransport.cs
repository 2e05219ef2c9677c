using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Streams;

/// <summary>Two endpoints in one process, joined by connections without sockets: bytes move on the thread that sends them, frame after frame, never two at a time in one direction.</summary>
internal sealed class WiredTransport : CoapStreamTransport
{
    private static int s_lastPort = 10_000;

    private CoapTransportContext? _context;

    public override string Scheme => "coap+tcp";

    public override IReadOnlyList<CoapAddress> LocalAddresses => [CoapAddress.FromIPv4(0x7f000001, 5683)];

    /// <summary>The other side, which accepts what this one opens.</summary>
    public WiredTransport? Other { get; set; }

    public CoapTransportContext Context => _context ?? throw new InvalidOperationException("not started");

    /// <summary>Sees each frame before it is handed to the endpoint; it may not be changed or kept.</summary>
    public Action<CoapDatagram>? OnFrame { get; set; }

    public override ValueTask StartAsync(CoapTransportContext context, CancellationToken cancellationToken)
    {
        _context = context;
        return ValueTask.CompletedTask;
    }

    public override ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken)
    {
        CoapAddress local = CoapAddress.FromIPv4(0xcb007101, (ushort)(Interlocked.Increment(ref s_lastPort) & 0xffff));
        WiredConnection ours = new(this, remote, local, isInitiator: true);
        WiredConnection theirs = new(Other!, local, remote, isInitiator: false);
        ours.Peer = theirs;
        theirs.Peer = ours;
        return theirs.Open() && ours.Open()
            ? ValueTask.FromResult<CoapConnection>(ours)
            : throw new CoapConnectionException(CoapConnectionError.Refused, "One side did not take the connection.");
    }

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private sealed class WiredConnection(WiredTransport owner, CoapAddress remote, CoapAddress local, bool isInitiator)
        : CoapConnection(owner, remote, local, isInitiator)
    {
        private readonly Lock _gate = new();
        private readonly Queue<byte[]> _arrived = new();
        private bool _isDelivering;
        private bool _isOpen;
        private int _isClosed;

        public WiredConnection? Peer { get; set; }

        public override bool IsCongested => false;

        public override CoapConnectionProgress Progress => default;

        public bool Open()
        {
            if (!owner.Context.Opened(this))
            {
                return false;
            }

            _isOpen = true;
            Deliver();
            return true;
        }

        public override void Send(CoapDatagram frame)
        {
            byte[] bytes = frame.Span.ToArray();
            bool isLast = frame.IsLast;
            frame.Dispose();
            if (Volatile.Read(ref _isClosed) == 0)
            {
                Peer!.Arrive(bytes);
                if (isLast)
                {
                    Close(null);
                }
            }
        }

        public override void PauseReading()
        {
        }

        public override void ResumeReading()
        {
        }

        public override void Close(CoapException? reason)
        {
            if (Interlocked.Exchange(ref _isClosed, 1) == 0)
            {
                owner.Context.Closed(this, reason);
                Peer!.Close(null);
            }
        }

        private void Arrive(byte[] bytes)
        {
            lock (_gate)
            {
                _arrived.Enqueue(bytes);
            }

            Deliver();
        }

        private void Deliver()
        {
            while (true)
            {
                byte[] bytes;
                lock (_gate)
                {
                    if (_isDelivering || !_isOpen || _arrived.Count == 0)
                    {
                        return;
                    }

                    _isDelivering = true;
                    bytes = _arrived.Dequeue();
                }

                // What left is one whole frame, within what the receiver said it takes.
                Assert.Equal(bytes.Length, owner.Context.MeasureFrame(this, bytes, bytes.Length));
                CoapDatagram frame = new(bytes.Length) { Length = bytes.Length, Remote = Remote, Local = Local, Transport = Transport, Channel = Channel };
                bytes.CopyTo(frame.Buffer.AsSpan());
                owner.OnFrame?.Invoke(frame);
                owner.Context.Receive(frame);
                lock (_gate)
                {
                    _isDelivering = false;
                }
            }
        }
    }
}
