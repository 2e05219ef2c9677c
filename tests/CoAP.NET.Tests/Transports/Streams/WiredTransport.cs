namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>
/// Two endpoints in one process, joined by connections without sockets: bytes move on the thread that sends them, frame after frame, never
/// two at a time in one direction.
/// </summary>
internal sealed class WiredTransport : CoapStreamTransport
{
    private static int s_lastPort = 10_000;

    private readonly List<WiredConnection> _connections = [];
    private ICoapStreamTransportContext? _context;

    public override string Scheme => "coap+tcp";

    public override IReadOnlyList<CoapAddress> LocalAddresses => [CoapAddress.FromIPv4(0x7f000001, 5683)];

    /// <summary>The other side, which accepts what this one opens.</summary>
    public WiredTransport? Other { get; set; }

    public ICoapStreamTransportContext Context => _context ?? throw new InvalidOperationException("not started");

    /// <summary>Sees each frame before it is handed to the endpoint; it may not be changed or kept.</summary>
    public Action<CoapDatagram>? OnFrame { get; set; }

    /// <summary>
    /// Called before a connection is opened: throw to have it fail, await to have it take long. Null: it is opened at once.
    /// </summary>
    public Func<CancellationToken, Task>? Connecting { get; set; }

    /// <summary>This side's ends of all connections that were made, in their order.</summary>
    public IReadOnlyList<WiredConnection> Connections
    {
        get
        {
            lock (_connections)
            {
                return [.. _connections];
            }
        }
    }

    public override ValueTask StartAsync(ICoapStreamTransportContext context, CancellationToken cancellationToken)
    {
        _context = context;
        return ValueTask.CompletedTask;
    }

    public override async ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName,
        CancellationToken cancellationToken)
    {
        if (Connecting is { } connecting)
        {
            await connecting(cancellationToken);
        }

        CoapAddress local = CoapAddress.FromIPv4(0xcb007101, (ushort)(Interlocked.Increment(ref s_lastPort) & 0xffff));
        WiredConnection ours = new(this, remote, local, isInitiator: true);
        WiredConnection theirs = new(Other!, local, remote, isInitiator: false);
        ours.Peer = theirs;
        theirs.Peer = ours;
        Add(ours);
        Other!.Add(theirs);
        if (theirs.Open() && ours.Open())
        {
            return ours;
        }

        theirs.Break(null);
        ours.NeverOpened();
        throw new CoapConnectionException(CoapError.Refused, "One side did not take the connection.");
    }

    public override async ValueTask DisposeAsync()
    {
        foreach (WiredConnection connection in Connections)
        {
            connection.Close(null);
            await connection.Ended.WaitAsync(FromMinutes(2));
        }
    }

    private void Add(WiredConnection connection)
    {
        lock (_connections)
        {
            _connections.Add(connection);
        }
    }

    /// <summary>One end of a connection.</summary>
    internal sealed class WiredConnection(WiredTransport owner, CoapAddress remote, CoapAddress local, bool isInitiator)
        : CoapConnection(owner, remote, local, isInitiator)
    {
        private readonly Lock _gate = new();
        private readonly TaskCompletionSource _ended = new(RunContinuationsAsynchronously);

        // Null: the peer ended its side.
        private readonly Queue<byte[]?> _arrived = new();
        private bool _isDelivering;
        private bool _isOpen;
        private bool _isClosed;
        private bool _isTold;
        private bool _hasSentLast;
        private int _pauses;
        private int _frames;
        private Exception? _reason;

        public WiredConnection? Peer { get; set; }

        public override bool IsCongested => IsFull;

        public override CoapConnectionTransferProgress Progress => new(_frames, 0, _frames, 0);

        /// <summary>Whether it says that the peer takes nothing at this moment.</summary>
        public bool IsFull { get; set; }

        public bool IsClosed => Volatile.Read(ref _isClosed);

        /// <summary>Ends when the endpoint was told of the end.</summary>
        public Task Ended => _ended.Task;

        public int Pauses => Volatile.Read(ref _pauses);

        public bool Open()
        {
            if (!owner.Context.Opened(this))
            {
                lock (_gate)
                {
                    _isClosed = _isTold = true;
                }

                _ended.TrySetResult();
                return false;
            }

            lock (_gate)
            {
                _isOpen = true;
            }

            Deliver();
            return true;
        }

        /// <summary>The other side did not take it, so nobody is told of its end.</summary>
        public void NeverOpened()
        {
            if (Channel is null)
            {
                _ended.TrySetResult();
            }
        }

        public override void Send(CoapDatagram frame)
        {
            byte[] bytes = frame.Span.ToArray();
            bool isLast = frame.IsLast;
            frame.Dispose();
            lock (_gate)
            {
                if (_isClosed || _hasSentLast)
                {
                    return;
                }

                _hasSentLast = isLast;
            }

            Peer!.Arrive(bytes);
            if (isLast)
            {
                Close(null);
            }
        }

        public override void PauseReading() => Interlocked.Increment(ref _pauses);

        public override void ResumeReading()
        {
            if (Interlocked.Decrement(ref _pauses) == 0)
            {
                Deliver();
            }
        }

        /// <summary>Closes this end; the other sees the end of the stream after what was sent before.</summary>
        public override void Close(CoapException? reason)
        {
            if (TryClose(reason))
            {
                Peer!.Arrive(null);
            }
        }

        /// <summary>Both ends are gone at once, and with them what was under way.</summary>
        public void Break(Exception? error)
        {
            TryClose(error);
            Peer!.TryClose(error);
        }

        /// <summary>The peer takes frames again.</summary>
        public void BecomeWritable()
        {
            IsFull = false;
            if (!IsClosed && Channel is not null)
            {
                owner.Context.CongestionEnded(this);
            }
        }

        /// <summary>Something comes, as if the other side had sent it; null for the end of its stream.</summary>
        public void Arrive(byte[]? bytes)
        {
            lock (_gate)
            {
                _arrived.Enqueue(bytes);
            }

            Deliver();
        }

        private bool TryClose(Exception? reason)
        {
            lock (_gate)
            {
                if (_isClosed)
                {
                    return false;
                }

                _isClosed = true;
                _reason = reason;
            }

            Report();
            return true;
        }

        // After the last frame was handed in, and only for a connection that was taken.
        private void Report()
        {
            lock (_gate)
            {
                if (!_isClosed || _isTold || _isDelivering || !_isOpen)
                {
                    return;
                }

                _isTold = true;
            }

            owner.Context.Closed(this, _reason);
            _ended.TrySetResult();
        }

        private void Deliver()
        {
            while (true)
            {
                byte[]? bytes;
                lock (_gate)
                {
                    if (_isDelivering || !_isOpen || _isClosed || _pauses > 0 || _arrived.Count == 0)
                    {
                        break;
                    }

                    _isDelivering = true;
                    bytes = _arrived.Dequeue();
                }

                if (bytes is null)
                {
                    // The other end is closed, so nothing that is sent arrives any more.
                    TryClose(null);
                }
                else
                {
                    Receive(bytes);
                }

                lock (_gate)
                {
                    _isDelivering = false;
                }
            }

            Report();
        }

        private void Receive(byte[] bytes)
        {
            // What left is one whole frame, within what the receiver said it takes.
            Assert.Equal(bytes.Length, owner.Context.MeasureFrame(this, bytes, bytes.Length));
            _frames++;
            CoapDatagram frame = new(bytes.Length)
            {
                Length = bytes.Length,
                Remote = Remote,
                Local = Local,
                Transport = Transport,
                Channel = Channel
            };
            bytes.CopyTo(frame.Buffer.AsSpan());
            owner.OnFrame?.Invoke(frame);
            owner.Context.Receive(frame);
        }
    }
}
