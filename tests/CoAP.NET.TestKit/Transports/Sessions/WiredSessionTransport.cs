using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Transports.Sessions;

/// <summary>
/// Two endpoints in one process, joined by sessions without cryptography. Datagrams arrive on the thread that sends them, or are lost;
/// whose address changes is found by what it sends next.
/// </summary>
internal sealed class WiredSessionTransport(CoapAddress local) : CoapSessionTransport
{
    private readonly List<WiredSession> _sessions = [];
    private ICoapSessionTransportContext? _context;

    public override string Scheme => "coaps";

    public override IReadOnlyList<CoapAddress> LocalAddresses => [local];

    public ICoapSessionTransportContext Context => _context ?? throw new InvalidOperationException("not started");

    public WiredSessionTransport? Other { get; set; }

    /// <summary>Whether a datagram that leaves here is lost.</summary>
    public Func<byte[], bool> Loses { get; set; } = static _ => false;

    /// <summary>This side's ends of all sessions that were made, in their order.</summary>
    public IReadOnlyList<WiredSession> Sessions
    {
        get
        {
            lock (_sessions)
            {
                return [.. _sessions];
            }
        }
    }

    internal override ValueTask StartAsync(ICoapSessionTransportContext context, CancellationToken cancellationToken)
    {
        _context = context;
        return ValueTask.CompletedTask;
    }

    public override ValueTask<CoapConnection> ConnectAsync(CoapAddress remote, string? serverName, CancellationToken cancellationToken)
    {
        WiredSession ours = new(this, remote, local, isInitiator: true);
        WiredSession theirs = new(Other!, local, remote, isInitiator: false) { Peer = ours };
        ours.Peer = theirs;
        Add(ours);
        Other!.Add(theirs);
        Assert.True(theirs.Open() && ours.Open());
        return ValueTask.FromResult<CoapConnection>(ours);
    }

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private void Add(WiredSession session)
    {
        lock (_sessions)
        {
            _sessions.Add(session);
        }
    }

    /// <summary>One end of a session.</summary>
    internal sealed class WiredSession(WiredSessionTransport owner, CoapAddress remote, CoapAddress source, bool isInitiator)
        : CoapSession(owner, isInitiator)
    {
        private CoapAddress _remote = remote;
        private int _isClosed;

        public override CoapAddress Remote => _remote;

        public override CoapAddress Local { get; } = source;

        public WiredSession? Peer { get; set; }

        /// <summary>From where its datagrams come now.</summary>
        public CoapAddress Source { get; set; } = source;

        public bool IsClosed => Volatile.Read(ref _isClosed) != 0;

        public bool Open() => owner.Context.Opened(this);

        public override void Send(CoapDatagram datagram)
        {
            byte[] bytes = datagram.Span.ToArray();
            datagram.Dispose();

            // Where the peer is no more nobody receives.
            if (!IsClosed && !owner.Loses(bytes) && Remote == Peer!.Source)
            {
                Peer.Arrive(bytes, Source);
            }
        }

        /// <summary>Ends this side, and tells the other.</summary>
        public override void Close(CoapException? reason)
        {
            End(reason);
            Peer!.End(null);
        }

        public void End(Exception? reason)
        {
            if (Interlocked.Exchange(ref _isClosed, 1) == 0)
            {
                owner.Context.Closed(this, reason);
            }
        }

        private void Arrive(byte[] bytes, CoapAddress from)
        {
            if (IsClosed)
            {
                return;
            }

            if (from != _remote)
            {
                CoapAddress before = _remote;
                _remote = from;
                owner.Context.Moved(this, before);
            }

            OnReceived();
            CoapDatagram datagram = new(bytes.Length)
            {
                Length = bytes.Length,
                Remote = _remote,
                Local = Local,
                Transport = Transport,
                Channel = Channel
            };
            bytes.CopyTo(datagram.Buffer.AsSpan());
            owner.Context.Receive(datagram);
        }
    }
}
