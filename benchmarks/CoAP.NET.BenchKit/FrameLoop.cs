using System.Net;

namespace CoAP.NET.Bench;

/// <summary>Many client connections on one thread, cut into frames: what the loads of these programs are built on.</summary>
internal abstract class FrameLoop : IDisposable
{
    private const int Signalling = 0xe0;
    private const int Csm = 0xe1;
    private const int Ping = 0xe2;
    private const int Pong = 0xe3;

    private readonly Poller _poller = new();
    private readonly List<LoadPeer> _peers = [];
    private readonly int[] _ready = new int[256];
    private readonly byte[] _buffer = new byte[256 * 1024];

    protected FrameLoop(IPEndPoint server) => Server = server;

    public IPEndPoint Server { get; }

    /// <summary>Connections that ended although nobody here wanted that.</summary>
    public int Lost { get; protected set; }

    protected IReadOnlyList<LoadPeer> Peers => _peers;

    protected static long Now => TimeProvider.System.GetTimestamp();

    protected static long Nanoseconds(long from) => (long)TimeProvider.System.GetElapsedTime(from).TotalNanoseconds;

    public void Dispose()
    {
        foreach (LoadPeer peer in _peers.Where(peer => peer.IsOpen))
        {
            Close(peer);
        }

        _poller.Dispose();
    }

    /// <summary>
    /// Opens connections, each with the CSM and nothing else, and waits until all are served: until the server's CSM came on each.
    /// </summary>
    /// <param name="count">How many.</param>
    /// <param name="firstAddress">The number of the first among all connections of the program, for its source address.</param>
    /// <exception cref="TimeoutException">Not all of them were served within half a minute.</exception>
    public void Open(int count, int firstAddress)
    {
        // Not more under way than a listening socket's queue holds.
        const int Ahead = 1000;
        long begin = Now;
        int first = _peers.Count;
        int served = first;
        while (served < first + count)
        {
            while (_peers.Count < first + count && _peers.Count - served < Ahead)
            {
                LoadPeer peer = new(_peers.Count, firstAddress + _peers.Count - first);
                _peers.Add(peer);
                Connect(peer, Frames.Csm);
            }

            Poll(100);
            while (served < _peers.Count && _peers[served].HasCsm)
            {
                served++;
            }

            if (Nanoseconds(begin) > 30e9)
            {
                throw new TimeoutException($"{served} of {count} connections were served in 30 s; {Lost} were closed by the server.");
            }
        }
    }

    /// <summary>Adds a peer without a connection.</summary>
    protected LoadPeer Add()
    {
        LoadPeer peer = new(_peers.Count, _peers.Count);
        _peers.Add(peer);
        return peer;
    }

    /// <summary>Handles what there is, after waiting for the first of it.</summary>
    protected void Poll(int milliseconds)
    {
        int count = _poller.Wait(_ready, milliseconds);
        for (int i = 0; i < count; i++)
        {
            LoadPeer peer = _peers[_ready[i]];
            if (!peer.IsOpen || (!peer.Unsent.IsEmpty && !SendRest(peer)))
            {
                continue;
            }

            if (!peer.IsStalled)
            {
                Read(peer);
            }
        }
    }

    /// <summary>A frame came that is neither CSM nor Ping.</summary>
    protected abstract void OnFrame(LoadPeer peer, byte code, ReadOnlySpan<byte> frame, int tokenAt);

    /// <summary>A connection was ended by the server.</summary>
    protected virtual void OnEnd(LoadPeer peer) => Lost++;

    /// <summary>Opens the connection of a peer, which has none, and sends on it as soon as that goes.</summary>
    protected void Connect(LoadPeer peer, ReadOnlyMemory<byte> bytes, int receiveBuffer = 0)
    {
        peer.Socket = LibC.Connect(Loopback.AddressOf(peer.Address), Server, receiveBuffer);
        peer.Connections++;
        peer.HasCsm = false;
        peer.RestLength = 0;
        peer.Unsent = default;
        peer.SentAt = Now;
        _poller.Watch(peer.Socket, peer.Index, isKnown: false);
        Send(peer, bytes);
    }

    /// <summary>Sends, or keeps what does not go for later.</summary>
    protected void Send(LoadPeer peer, ReadOnlyMemory<byte> bytes)
    {
        if (!peer.Unsent.IsEmpty)
        {
            peer.Unsent = (byte[])[.. peer.Unsent.Span, .. bytes.Span];
            return;
        }

        peer.Unsent = bytes;
        if (SendRest(peer) && !peer.Unsent.IsEmpty)
        {
            _poller.Watch(peer.Socket, peer.Index, isWriting: true);
            peer.IsWatchedForRoom = true;
        }
    }

    /// <summary>Has a peer read nothing any more.</summary>
    protected void Stall(LoadPeer peer)
    {
        peer.IsStalled = true;
        _poller.Watch(peer.Socket, peer.Index, isReading: false, isWriting: peer.IsWatchedForRoom);
    }

    protected static void Close(LoadPeer peer)
    {
        _ = LibC.Close(peer.Socket);
        peer.Socket = -1;
    }

    // False: the connection has ended.
    private bool SendRest(LoadPeer peer)
    {
        nint sent = LibC.Send(peer.Socket, peer.Unsent.Span);
        if (sent < 0)
        {
            return LibC.LastError is LibC.Again or LibC.InProgress or LibC.NotConnected || Fail(peer);
        }

        peer.Unsent = peer.Unsent[(int)sent..];
        if (peer.Unsent.IsEmpty && peer.IsWatchedForRoom)
        {
            peer.IsWatchedForRoom = false;
            _poller.Watch(peer.Socket, peer.Index, isReading: !peer.IsStalled);
        }

        return true;
    }

    private bool Fail(LoadPeer peer)
    {
        Close(peer);
        OnEnd(peer);
        return false;
    }

    private void Read(LoadPeer peer)
    {
        peer.Rest.AsSpan(0, peer.RestLength).CopyTo(_buffer);
        nint count = LibC.Receive(peer.Socket, _buffer.AsSpan(peer.RestLength));
        if (count <= 0)
        {
            if (count == 0 || LibC.LastError is not (LibC.Again or LibC.Interrupted))
            {
                Fail(peer);
            }

            return;
        }

        ReadOnlySpan<byte> bytes = _buffer.AsSpan(0, peer.RestLength + (int)count);
        int connection = peer.Connections;
        while (true)
        {
            int length = Frames.Measure(bytes, out byte code, out int tokenAt);
            if (length == 0 || length > bytes.Length)
            {
                break;
            }

            Handle(peer, code, bytes[..length], tokenAt);
            bytes = bytes[length..];
            if (!peer.IsOpen || peer.Connections != connection)
            {
                // It was closed, or is another one by now.
                return;
            }
        }

        peer.Keep(bytes);
    }

    private void Handle(LoadPeer peer, byte code, ReadOnlySpan<byte> frame, int tokenAt)
    {
        if (code < Signalling)
        {
            OnFrame(peer, code, frame, tokenAt);
        }
        else if (code == Ping)
        {
            int tokenLength = frame[0] & 0xf;
            Send(peer, (byte[])[(byte)tokenLength, Pong, .. frame.Slice(tokenAt, tokenLength)]);
        }
        else if (code == Csm)
        {
            peer.HasCsm = true;
        }
    }
}
