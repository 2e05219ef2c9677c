using System.Buffers.Binary;
using System.Net;
using CoAP.NET.Execution;

namespace CoAP.NET.Benchmarks;

/// <summary>
/// A real server whose peers are in memory. They take turns, and each counts its Message IDs up as a real client does; the clock goes on by
/// such a step for each request that <see cref="Remembered"/> of them are in the duplicate memory at any time: one expires for each that
/// comes, and no Message ID comes again within its lifetime.
/// </summary>
internal sealed class MemoryServer
{
    /// <summary>How many peers there are: on datagrams so many that what belongs to one is not always in the nearest cache.</summary>
    public const int Peers = 1024;

    /// <summary>How many exchanges the duplicate memory holds while it is measured (RFC 7252 section 4.5).</summary>
    public const int Remembered = 200_000;

    private const int Connections = 64;

    private readonly WireFormat _format;
    private readonly SteppedClock _clock = new();
    private readonly long _step = CoapTransmissionParameters.Default.ExchangeLifetime.Ticks / Remembered;
    private readonly InlineRole _role = new();
    private readonly MemoryTransport _datagrams = new(CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Loopback, 5683)));
    private readonly MemoryStreamTransport _streams = new(CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Loopback, 5683)));
    private readonly CoapAddress[] _peers = [.. Enumerable.Range(0, Peers).Select(PeerAt)];
    private readonly MemoryConnection[] _connections = [];
    private readonly byte[] _last = new byte[2048];
    private int _lastLength;
    private long _turn;
    private long _answers;

    public MemoryServer(WireFormat format, Action<CoapServer> map, Action<CoapEndpointOptions>? configure = null)
    {
        _format = format;
        CoapEndpointOptions options = new() { TimeProvider = _clock };
        configure?.Invoke(options);
        Server = new CoapServer(options);
        map(Server);
        Server.Endpoint.AddTransport(format == WireFormat.Datagram ? _datagrams : _streams);

        // Nothing waits for a socket here, so it has ended when it returns.
        Server.StartAsync().GetAwaiter().GetResult();
        _datagrams.Sent = (bytes, _) => Take(bytes);
        if (format == WireFormat.Stream)
        {
            _connections = [.. _peers.Take(Connections).Select(_streams.Accept)];
            _streams.Sent = (bytes, _) => Take(bytes);
        }
    }

    public CoapServer Server { get; }

    /// <summary>How many messages the server sent.</summary>
    public long Answers => Volatile.Read(ref _answers);

    /// <summary>The last message that the server sent.</summary>
    public ReadOnlySpan<byte> LastAnswer => _last.AsSpan(0, _lastLength);

    /// <summary>The address of a peer: each a host of its own.</summary>
    public static CoapAddress PeerAt(int index) => CoapAddress.FromIPv4(0x7f000100u + (uint)index, 40_000);

    /// <summary>Sends a request of the next peer, with its next Message ID.</summary>
    public void Send(byte[] request)
    {
        SendNext(request);
        LetTimePass(1);
    }

    /// <summary>Lets as much time pass as lies between so many requests.</summary>
    public void LetTimePass(int requests)
    {
        _clock.Step(requests * _step);
        (_format == WireFormat.Datagram ? _datagrams.Time : _streams.Time).Tick();
    }

    /// <summary>Sends the bytes as they are, without letting time pass.</summary>
    public void SendFrom(int peer, ReadOnlySpan<byte> request)
    {
        // The thread that measures stands for the receive loop.
        UserCodeScope.Role = _role;
        if (_format == WireFormat.Datagram)
        {
            _datagrams.Deliver(request, _peers[peer]);
        }
        else
        {
            _connections[peer].Deliver(request);
        }
    }

    /// <summary>Sends a request many times and checks that each was answered.</summary>
    public void Send(byte[] request, int count)
    {
        long before = Answers;
        for (int i = 0; i < count; i++)
        {
            Send(request);
        }

        if (Answers - before != count)
        {
            throw new InvalidOperationException($"{Answers - before} answers to {count} requests.");
        }
    }

    /// <summary>Sends a request many times to a server that answers from other threads, and waits for all answers.</summary>
    public void SendAndWait(byte[] request, int count)
    {
        long end = Answers + count;
        for (int i = 0; i < count; i++)
        {
            SendNext(request);
        }

        if (!SpinWait.SpinUntil(() => Answers >= end, TimeSpan.FromSeconds(30)))
        {
            throw new InvalidOperationException($"{end - Answers} of {count} requests have no answer.");
        }

        // Only now, so that each is answered within the time for a piggybacked response.
        LetTimePass(count);
    }

    /// <summary>Sends a request once and reads the answer.</summary>
    public CoapMessage Ask(byte[] request)
    {
        Send(request, 1);
        return _format.Serializer().Deserialize(_last.AsMemory(0, _lastLength));
    }

    private void SendNext(byte[] request)
    {
        if (_format == WireFormat.Stream)
        {
            SendFrom((int)(_turn++ % Connections), request);
        }
        else
        {
            (long round, long peer) = Math.DivRem(_turn++, Peers);
            BinaryPrimitives.WriteUInt16BigEndian(request.AsSpan(2), (ushort)round);
            SendFrom((int)peer, request);
        }
    }

    private void Take(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_last);
        _lastLength = bytes.Length;
        Interlocked.Increment(ref _answers);
    }
}
