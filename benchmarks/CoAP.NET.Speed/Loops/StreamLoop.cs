namespace CoAP.NET.Speed.Loops;

/// <summary>
/// A closed loop over connections: each has so many requests under way, and asks again when it is answered; or it is for one request, and
/// the next one takes a connection of its own.
/// </summary>
internal sealed class StreamLoop : IDisposable
{
    private const int RoomForRest = 1024;
    private const int RoomForRequest = 256;
    private const double Patience = 1;
    private const double PatienceToOpen = 120;

    // Not more connections begun at a time than a listening socket's queue holds.
    private const int Together = 100;

    private readonly IPEndPoint _server;
    private readonly StreamProtocol _protocol;
    private readonly int _depth;
    private readonly bool _isShort;
    private readonly bool _isSecure;
    private readonly Poller _poller = new();
    private readonly Connection[] _connections;
    private readonly long[] _sentAt;
    private readonly int[] _ready = new int[256];
    private readonly byte[] _in = GC.AllocateArray<byte>(1 << 18, pinned: true);
    private readonly byte[] _out = GC.AllocateArray<byte>(1 << 16, pinned: true);
    private LatencyHistogram? _times;
    private bool _isAsking;
    private int _waiting;
    private long _lost;
    private long _errors;

    /// <summary>Makes the loop, and its connections when they stay.</summary>
    /// <param name="server">The server.</param>
    /// <param name="protocol">What it speaks.</param>
    /// <param name="connections">How many.</param>
    /// <param name="depth">How many requests are under way on each.</param>
    /// <param name="isShort">Whether each connection is for one request.</param>
    /// <param name="isSecure">Whether they are TLS connections.</param>
    /// <exception cref="TimeoutException">The server does not take them.</exception>
    public StreamLoop(IPEndPoint server, StreamProtocol protocol, int connections, int depth = 1, bool isShort = false,
        bool isSecure = false)
    {
        (_server, _protocol, _depth, _isShort, _isSecure) = (server, protocol, depth, isShort, isSecure);
        _sentAt = new long[connections * depth];
        _connections = new Connection[connections];
        for (int i = 0; i < connections; i++)
        {
            _connections[i] = new Connection { Socket = -1, Rest = new byte[RoomForRest] };
        }

        if (!isShort)
        {
            OpenAll();
        }
    }

    private static long Now => TimeProvider.System.GetTimestamp();

    /// <summary>Runs.</summary>
    /// <param name="seconds">How long.</param>
    /// <param name="cpu">Tells the processor time that the measured process took so far.</param>
    public RunResult Run(double seconds, Func<TimeSpan> cpu)
    {
        (_lost, _errors, _waiting) = (0, 0, 0);
        TimeSpan cpuBefore = cpu();
        LatencyHistogram times = _times = new LatencyHistogram();
        long begin = Now;
        _isAsking = true;
        for (int i = 0; i < _connections.Length; i++)
        {
            Begin(i);
            if (i % Together == 0)
            {
                Poll(0);
            }
        }

        long end = begin + Ticks(seconds);
        while (Now < end)
        {
            Poll(10);
        }

        TimeSpan elapsed = TimeProvider.System.GetElapsedTime(begin);
        TimeSpan used = cpu() - cpuBefore;
        (_times, _isAsking) = (null, false);

        // What is under way must not be taken for the first answers of the next run.
        for (long last = Now + Ticks(Patience); _waiting > 0 && Now < last;)
        {
            Poll(10);
        }

        for (int i = 0; i < _connections.Length; i++)
        {
            if (_connections[i].Waiting > 0)
            {
                End(i);
            }
        }

        return new RunResult(times, elapsed, used, _lost, _errors);
    }

    public void Dispose()
    {
        for (int i = 0; i < _connections.Length; i++)
        {
            Close(ref _connections[i]);
        }

        _poller.Dispose();
    }

    private static long Ticks(double seconds) => (long)(seconds * TimeProvider.System.TimestampFrequency);

    private static void Close(ref Connection connection)
    {
        if (connection.Socket >= 0)
        {
            _ = LibC.Close(connection.Socket);
            connection.Socket = -1;
            connection.Tls?.Dispose();
            connection.Tls = null;
        }
    }

    private void OpenAll()
    {
        // A short queue of a listening socket must not be overrun: what does not fit tries again after a second at the earliest.
        const int Ahead = 4;
        long last = Now + Ticks(PatienceToOpen);
        int served = 0;
        for (int i = 0; served < _connections.Length;)
        {
            for (int k = 0; k < Ahead && i < _connections.Length && i - served < Ahead; k++, i++)
            {
                Open(i, _protocol.Opening);
            }

            Poll(1);
            while (served < i && (_connections[served].IsGreeted || !_protocol.HasGreeting))
            {
                served++;
            }

            if (Now > last)
            {
                throw new TimeoutException($"{served} of {_connections.Length} connections were served in {PatienceToOpen} s.");
            }
        }
    }

    private void Open(int index, ReadOnlySpan<byte> first)
    {
        // An own address for each, as there are only so many ports for one.
        const int Own = 100;
        ref Connection connection = ref _connections[index];
        connection.Socket = LibC.Connect(Loopback.AddressOf(index * Own), _server, 0);
        (connection.RestLength, connection.IsGreeted, connection.Pending) = (0, false, null);
        _poller.Watch(connection.Socket, index, isKnown: false);
        connection.Tls = _isSecure ? new TlsLink(_protocol.Alpn) : null;
        Send(index, first);
    }

    private void Begin(int index)
    {
        ref Connection connection = ref _connections[index];
        int length = 0;
        if (connection.Socket < 0)
        {
            _protocol.Opening.CopyTo(_out, 0);
            length = _protocol.Opening.Length;
        }

        long now = Now;
        for (int slot = 0; slot < _depth; slot++)
        {
            length += Ask(ref connection, index, slot, now, length);
        }

        if (connection.Socket < 0)
        {
            Open(index, _out.AsSpan(0, length));
        }
        else
        {
            Send(index, _out.AsSpan(0, length));
        }
    }

    private int Ask(ref Connection connection, int index, int slot, long now, int at)
    {
        connection.Waiting++;
        _waiting++;
        _sentAt[(index * _depth) + slot] = now;
        return _protocol.Write(_out.AsSpan(at, RoomForRequest), slot);
    }

    private void Send(int index, ReadOnlySpan<byte> bytes)
    {
        if (_connections[index].Tls is { } tls)
        {
            tls.Write(bytes);
            bytes = tls.TakeOutput();
        }

        Transmit(index, bytes);
    }

    private void Transmit(int index, ReadOnlySpan<byte> bytes)
    {
        ref Connection connection = ref _connections[index];
        if (bytes.IsEmpty)
        {
            return;
        }

        nint sent = connection.Pending is null ? LibC.Send(connection.Socket, bytes) : 0;
        if (sent == bytes.Length)
        {
            return;
        }

        if (sent < 0 && LibC.LastError is not (LibC.Again or LibC.InProgress or LibC.NotConnected))
        {
            End(index);
            return;
        }

        // Not connected yet, or the server does not read.
        ReadOnlySpan<byte> rest = bytes[(int)Math.Max(0, sent)..];
        connection.Pending = connection.Pending is null ? rest.ToArray() : [.. connection.Pending, .. rest];
        _poller.Watch(connection.Socket, index, isWriting: true);
    }

    // False: the connection has ended.
    private bool SendPending(int index)
    {
        byte[] pending = _connections[index].Pending!;
        _connections[index].Pending = null;
        _poller.Watch(_connections[index].Socket, index);
        int socket = _connections[index].Socket;
        Transmit(index, pending);
        return _connections[index].Socket == socket;
    }

    // The connection has ended: what is under way is lost.
    private void End(int index)
    {
        ref Connection connection = ref _connections[index];
        _lost += connection.Waiting;
        _waiting -= connection.Waiting;
        connection.Waiting = 0;
        _sentAt.AsSpan(index * _depth, _depth).Clear();
        Close(ref connection);
        if (!_isShort)
        {
            Open(index, _protocol.Opening);
        }
    }

    private void Poll(int milliseconds)
    {
        int count = _poller.Wait(_ready, milliseconds);
        for (int i = 0; i < count; i++)
        {
            int index = _ready[i];
            if (_connections[index].Socket >= 0 && (_connections[index].Pending is null || SendPending(index)))
            {
                Read(index);
            }
        }

        // Whoever was lost while there is something to measure asks again.
        if (_lost > 0 && _isAsking)
        {
            for (int i = 0; i < _connections.Length; i++)
            {
                if (_connections[i].Waiting == 0)
                {
                    Begin(i);
                }
            }
        }
    }

    private void Read(int index)
    {
        ref Connection connection = ref _connections[index];
        int rest = connection.RestLength;
        if (rest > 0)
        {
            connection.Rest.AsSpan(0, rest).CopyTo(_in);
        }

        nint count = LibC.Receive(connection.Socket, _in.AsSpan(rest));
        if (count <= 0)
        {
            if (count == 0 || LibC.LastError is not (LibC.Again or LibC.Interrupted))
            {
                End(index);
            }

            return;
        }

        ReadOnlySpan<byte> bytes = _in.AsSpan(0, rest + (int)count);
        if (connection.Tls is { } tls)
        {
            ReadOnlySpan<byte> plain = tls.Feed(bytes[rest..]);
            if (tls.HasEnded)
            {
                End(index);
                return;
            }

            Transmit(index, tls.TakeOutput());
            if (plain.IsEmpty || connection.Socket < 0)
            {
                return;
            }

            plain.CopyTo(_in.AsSpan(rest));
            bytes = _in.AsSpan(0, rest + plain.Length);
        }

        long now = Now;
        int length = 0;
        while (_protocol.Take(bytes, out StreamPart part, out int slot) is > 0 and int taken)
        {
            length += Handle(ref connection, index, part, slot, bytes[..taken], now, length);
            bytes = bytes[taken..];
        }

        if (bytes.Length > RoomForRest)
        {
            _errors++;
            End(index);
            return;
        }

        bytes.CopyTo(connection.Rest);
        connection.RestLength = bytes.Length;
        if (_isShort && connection.Waiting == 0)
        {
            Close(ref connection);
            if (_isAsking)
            {
                Begin(index);
            }
        }
        else
        {
            Send(index, _out.AsSpan(0, length));
        }
    }

    // How much was written to be sent.
    private int Handle(ref Connection connection, int index, StreamPart part, int slot, ReadOnlySpan<byte> bytes, long now, int at)
    {
        switch (part)
        {
            case StreamPart.Answer or StreamPart.WrongAnswer:
                ref long sentAt = ref _sentAt[(index * _depth) + Math.Clamp(slot, 0, _depth - 1)];
                if ((uint)slot >= (uint)_depth || sentAt == 0)
                {
                    _errors++;
                    return 0;
                }

                if (part == StreamPart.WrongAnswer)
                {
                    _errors++;
                }
                else
                {
                    _times?.Add((long)TimeProvider.System.GetElapsedTime(sentAt, now).TotalNanoseconds);
                }

                sentAt = 0;
                connection.Waiting--;
                _waiting--;
                return _isAsking && !_isShort ? Ask(ref connection, index, slot, now, at) : 0;
            case StreamPart.Greeting:
                connection.IsGreeted = true;
                return 0;
            case StreamPart.Ping:
                // A Pong has the same token.
                bytes.CopyTo(_out.AsSpan(at));
                _out[at + 1] = 0xe3;
                return bytes.Length;
            default:
                return 0;
        }
    }

    private struct Connection
    {
        public int Socket;
        public int Waiting;
        public bool IsGreeted;
        public TlsLink? Tls;
        public byte[]? Pending;
        public byte[] Rest;
        public int RestLength;
    }
}
