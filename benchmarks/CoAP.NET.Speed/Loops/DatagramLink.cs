namespace CoAP.NET.Speed.Loops;

/// <summary>
/// Many peers of a server over UDP on one thread: an own source address for each, over few sockets, or over a socket each.
/// </summary>
internal abstract unsafe class DatagramLink : IDisposable
{
    // At a time: servers have bounds for handshakes that are not done.
    private const int ConnectTogether = 32;
    private const int Batch = 64;
    private const int Buffer = 4 << 20;

    // What the system counts for a small datagram that waits.
    private const int BytesOfOne = 1024;

    private static readonly TimeSpan s_connectLimit = TimeSpan.FromSeconds(120);
    private static readonly TimeSpan s_wait = TimeSpan.FromMilliseconds(10);

    private readonly SecureClient? _client;
    private readonly SecurePeer[]? _secure;
    private readonly Dictionary<uint, int> _peerAt = [];
    private readonly byte* _message = (byte*)NativeMemory.Alloc(DatagramBatch.Room);
    private int _connecting;
    private readonly bool _hasOwnSockets;
    private readonly int _peers;
    private readonly int[] _sockets;
    private readonly uint[] _sources;
    private readonly int[] _ready = new int[256];
    private readonly Poller? _poller;
    private readonly DatagramBatch _in;
    private readonly DatagramBatch _out;
    private int _outSocket;
    private int _outCount;
    private int _outPeer;

    /// <summary>Opens it.</summary>
    /// <param name="server">The server.</param>
    /// <param name="peers">How many.</param>
    /// <param name="hasOwnSockets">Whether each peer has a socket of its own.</param>
    /// <param name="client">When the peers speak within DTLS sessions: what they have in common; disposed with this.</param>
    protected DatagramLink(IPEndPoint server, int peers, bool hasOwnSockets, SecureClient? client = null)
    {
        _client = client;
        _secure = client is null ? null : [.. Enumerable.Range(0, peers).Select(_ => new SecurePeer(client))];
        _hasOwnSockets = hasOwnSockets;
        _peers = peers;
        _sources = new uint[peers];
        for (int i = 0; i < peers; i++)
        {
            SetSource(i);
        }

        int first = Open(0);
        int many = hasOwnSockets ? peers : Math.Max(1, (int)Math.Ceiling(peers * (double)BytesOfOne / Native.BufferOf(first)));
        _sockets = new int[many];
        _sockets[0] = first;
        for (int i = 1; i < many; i++)
        {
            _sockets[i] = Open(i);
        }

        if (many > 1)
        {
            _poller = new Poller();
            for (int i = 0; i < many; i++)
            {
                _poller.Watch(_sockets[i], i, isKnown: false);
            }
        }

        _in = new DatagramBatch(Batch, hasAddresses: client is not null);
        _out = new DatagramBatch(Batch, hasAddresses: !hasOwnSockets);
        _out.SetDestination(server);
        Native.WaitExactly();
    }

    protected static long Now => TimeProvider.System.GetTimestamp();

    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    protected static long Nanoseconds(long from, long to) => (long)TimeProvider.System.GetElapsedTime(from, to).TotalNanoseconds;

    /// <summary>Time stamps in so many seconds.</summary>
    protected static long Ticks(double seconds) => (long)(seconds * TimeProvider.System.TimestampFrequency);

    /// <summary>A datagram came.</summary>
    protected abstract void Handle(byte* message, int length, long now);

    protected virtual void Dispose(bool isDisposing)
    {
        foreach (int socket in _sockets)
        {
            _ = LibC.Close(socket);
        }

        _poller?.Dispose();
        _in.Dispose();
        _out.Dispose();
        DisposeSecure();
    }

    /// <summary>Has a peer go on from an address that was not used yet.</summary>
    protected void Move(int peer)
    {
        SetSource(peer);
        if (_hasOwnSockets)
        {
            Flush();
            _ = LibC.Close(_sockets[peer]);
            _sockets[peer] = Open(peer);
            _poller?.Watch(_sockets[peer], peer, isKnown: false);
        }
    }

    /// <summary>Memory for a datagram that a peer sends; <see cref="Commit"/> comes next.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected byte* Next(int peer)
    {
        byte* record = Reserve(peer);
        return _secure is null ? record : _message;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    protected void Commit(int length) =>
        Put(_secure is null
            ? length
            : _secure[_outPeer].Seal(new ReadOnlySpan<byte>(_message, length), new Span<byte>(_out.Bytes(_outCount), DatagramBatch.Room)));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private byte* Reserve(int peer)
    {
        int socket = SocketOf(peer);
        if (_outCount == Batch || (socket != _outSocket && _outCount > 0))
        {
            Flush();
        }

        _outSocket = socket;
        _outPeer = peer;
        return _out.Bytes(_outCount);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Put(int length)
    {
        _out.SetLength(_outCount, length);
        if (!_hasOwnSockets)
        {
            _out.SetSource(_outCount, _sources[_outPeer]);
        }

        _outCount++;
    }

    /// <summary>Sends what was committed. What cannot be sent is lost, and counted when its time is over.</summary>
    protected void Flush()
    {
        if (_outCount > 0)
        {
            _out.Send(_sockets[_outSocket], _outCount);
            _outCount = 0;
        }
    }

    /// <summary>Sends what is to be sent, waits until something comes, but not long, and handles it.</summary>
    protected void Wait()
    {
        Flush();
        if (_poller is null)
        {
            Receive(0, Native.WaitForOne);
        }
        else
        {
            Poll((int)s_wait.TotalMilliseconds);
        }
    }

    /// <summary>The same, until a time stamp at most.</summary>
    protected void WaitUntil(long due)
    {
        Flush();
        long wait = Math.Clamp(Nanoseconds(Now, due), 0, (long)s_wait.TotalNanoseconds);
        if (_poller is not null)
        {
            Poll((int)(wait / 1_000_000));
            return;
        }

        if (wait > 0)
        {
            PollEntry entry = new() { Descriptor = _sockets[0], Wanted = PollEntry.Readable };
            nint* time = stackalloc nint[2];
            (time[0], time[1]) = (0, (nint)wait);
            _ = Native.Poll(&entry, 1, time, null);
        }

        Receive(0, Native.DontWait);
    }

    /// <summary>Handles what is there already.</summary>
    protected void Take()
    {
        Flush();
        if (_poller is null)
        {
            Receive(0, Native.DontWait);
        }
        else
        {
            Poll(0);
        }
    }

    private void Poll(int milliseconds)
    {
        int count = _poller!.Wait(_ready, milliseconds);
        for (int i = 0; i < count; i++)
        {
            Receive(_ready[i], Native.DontWait);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Receive(int index, int flags)
    {
        int count = _in.Receive(_sockets[index], flags);
        if (count <= 0)
        {
            return;
        }

        long now = Now;
        for (int i = 0; i < count; i++)
        {
            if (_secure is null)
            {
                Handle(_in.Bytes(i), _in.Length(i), now);
            }
            else
            {
                HandleSecure(_in.Bytes(i), _in.Length(i), _in.Destination(i), now);
            }
        }

        Flush();
    }

    private int SocketOf(int peer) => _sockets.Length == 1 ? 0 : _hasOwnSockets ? peer : (int)((long)peer * _sockets.Length / _peers);

    private int Open(int peer)
    {
        IPEndPoint local = new(_hasOwnSockets ? Sources.AddressOf(_sources[peer]) : IPAddress.Any, 0);
        int socket = Native.Open(Native.Datagram, local, _secure is null ? 0 : Native.PacketInfo);
        if (!_hasOwnSockets)
        {
            Native.AskForBuffer(socket, Buffer);
        }

        Native.SetReceiveTimeout(socket, s_wait);
        return socket;
    }

    /// <summary>Whether peers speak within DTLS sessions.</summary>
    protected bool IsSecure => _secure is not null;

    /// <summary>How many handshakes are under way.</summary>
    protected int Connecting => _connecting;

    /// <summary>Has every peer come from another address, and open a session.</summary>
    /// <exception cref="InvalidOperationException">A handshake failed, or took too long.</exception>
    protected void ConnectAll()
    {
        long last = Now + Ticks(s_connectLimit.TotalSeconds);
        for (int peer = 0; peer < _peers || _connecting > 0;)
        {
            while (peer < _peers && _connecting < ConnectTogether)
            {
                Move(peer);
                Connect(peer++);
            }

            Wait();
            Look();
            if (Now > last)
            {
                throw new InvalidOperationException($"{_connecting} handshakes were not done in {s_connectLimit.TotalSeconds} s.");
            }
        }
    }

    /// <summary>Has a peer begin a session; <see cref="Connected"/> says when it is there.</summary>
    protected void Connect(int peer)
    {
        if (!_secure![peer].IsConnecting)
        {
            _connecting++;
        }

        Send(peer, _secure[peer].Begin());
    }

    /// <summary>A peer has its session.</summary>
    protected virtual void Connected(int peer)
    {
    }

    /// <summary>Has a peer say that its session ends.</summary>
    protected void Close(int peer)
    {
        byte* record = Reserve(peer);
        Put(_secure![peer].SealClose(new Span<byte>(record, DatagramBatch.Room)));
    }

    /// <summary>Sends again what handshakes wait for.</summary>
    protected virtual void Look()
    {
        for (int peer = 0; peer < _peers; peer++)
        {
            Send(peer, _secure![peer].Look());
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void HandleSecure(byte* bytes, int length, uint destination, long now)
    {
        // Others were for somebody who has moved on.
        if (!_peerAt.TryGetValue(destination, out int peer))
        {
            return;
        }

        SecurePeer secure = _secure![peer];
        Span<byte> datagram = new(bytes, length);
        if (!secure.IsConnecting)
        {
            Span<byte> message = secure.Open(datagram);
            if (message.Length > 0)
            {
                Handle((byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(message)), message.Length, now);
            }

            return;
        }

        Answer(peer, datagram);
    }

    /// <summary>A datagram came for a peer whose handshake is under way.</summary>
    protected virtual void Answer(int peer, Span<byte> datagram)
    {
        Send(peer, Continue(peer, datagram));
        if (!_secure![peer].IsConnecting)
        {
            _connecting--;
            Connected(peer);
        }
    }

    /// <summary>Has the handshake of a peer take a datagram.</summary>
    /// <returns>What it would send.</returns>
    protected IReadOnlyList<byte[]> Continue(int peer, ReadOnlySpan<byte> datagram) => _secure![peer].Take(datagram);

    /// <summary>Has a peer send datagrams.</summary>
    protected void Send(int peer, IReadOnlyList<byte[]> datagrams)
    {
        foreach (byte[] datagram in datagrams)
        {
            byte* to = Reserve(peer);
            datagram.CopyTo(new Span<byte>(to, DatagramBatch.Room));
            Put(datagram.Length);
        }
    }

    private void SetSource(int peer)
    {
        _peerAt.Remove(_sources[peer]);
        _sources[peer] = Sources.Next();
        _peerAt[_sources[peer]] = peer;
    }

    private void DisposeSecure()
    {
        foreach (SecurePeer peer in _secure ?? [])
        {
            peer.Dispose();
        }

        NativeMemory.Free(_message);
    }
}
