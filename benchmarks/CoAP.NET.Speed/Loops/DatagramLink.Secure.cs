using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using CoAP.NET.Bench;
using CoAP.NET.Speed.Raw;

namespace CoAP.NET.Speed.Loops;

// Peers that speak within DTLS sessions. An answer is known by the address that it came to, as it is on the wire that only one end gave out
// a Connection ID.
internal abstract unsafe partial class DatagramLink
{
    // At a time: servers have bounds for handshakes that are not done.
    private const int ConnectTogether = 32;

    private static readonly TimeSpan s_connectLimit = TimeSpan.FromSeconds(120);

    private readonly SecureClient? _client;
    private readonly SecurePeer[]? _secure;
    private readonly Dictionary<uint, int> _peerAt = [];
    private readonly byte* _message = (byte*)NativeMemory.Alloc(DatagramBatch.Room);
    private int _connecting;

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
    protected void Look()
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

        Send(peer, secure.Take(datagram));
        if (!secure.IsConnecting)
        {
            _connecting--;
            Connected(peer);
        }
    }

    private void Send(int peer, IReadOnlyList<byte[]> datagrams)
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

        _client?.Dispose();
        NativeMemory.Free(_message);
    }
}
