using System.Net;

namespace CoAP.NET.Benchmarks;

/// <summary>
/// A real client whose peers are in memory. They answer when <see cref="DeliverAnswers"/> is called, and the clock goes on by such a step
/// for each request that no Message ID is used again within its lifetime.
/// </summary>
internal sealed class MemoryClient
{
    /// <summary>How many peers there are.</summary>
    public const int Peers = 1024;

    private const int Connections = 64;

    private readonly SteppedClock _clock = new();
    private readonly long _step = CoapTransmissionParameters.Default.ExchangeLifetime.Ticks / MemoryServer.Remembered;
    private readonly MemoryPeer _peer;
    private readonly MemoryTransport _datagrams = new(s_local);
    private readonly MemoryStreamTransport _streams = new(s_local);
    private readonly WireFormat _format;
    private readonly Queue<Answer> _answers = new();
    private readonly Stack<Answer> _spare = new();
    private readonly Dictionary<CoapAddress, int> _indexes = [];

    private static readonly CoapAddress s_local = CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Loopback, 40_000));

    public MemoryClient(WireFormat format, MemoryPeer peer)
    {
        _format = format;
        _peer = peer;
        int count = format == WireFormat.Datagram ? Peers : Connections;
        Uris = [.. Enumerable.Range(0, count)
            .Select(i => $"{(format == WireFormat.Datagram ? "coap" : "coap+tcp")}://{AddressOf(i)}/test/temperature")];
        for (int i = 0; i < count; i++)
        {
            _indexes.Add(AddressOf(i), i);
        }

        CoapEndpoint endpoint = new(new CoapEndpointOptions { TimeProvider = _clock });
        endpoint.AddTransport(format == WireFormat.Datagram ? _datagrams : _streams);
        endpoint.StartAsync().GetAwaiter().GetResult();
        _datagrams.Sent = Take;
        _streams.Sent = (bytes, connection) => Take(bytes, connection.Remote, connection);
        Client = new CoapClient(endpoint);
    }

    public CoapClient Client { get; }

    /// <summary>A URI of each peer.</summary>
    public string[] Uris { get; }

    /// <summary>The address of a peer: each a host of its own.</summary>
    public static CoapAddress AddressOf(int index) => CoapAddress.FromIPv4(0x7f000100u + (uint)index, 5683);

    /// <summary>Hands in the answers to all requests that were sent since.</summary>
    /// <returns>How many there were.</returns>
    public int DeliverAnswers()
    {
        int count = 0;
        while (_answers.TryDequeue(out Answer? answer))
        {
            if (_format == WireFormat.Datagram)
            {
                _datagrams.Deliver(answer.Bytes.AsSpan(0, answer.Length), answer.From);
            }
            else
            {
                answer.Connection!.Deliver(answer.Bytes.AsSpan(0, answer.Length));
            }

            _spare.Push(answer);
            _clock.Step(_step);
            count++;
        }

        (_format == WireFormat.Datagram ? _datagrams.Time : _streams.Time).Tick();
        return count;
    }

    private void Take(ReadOnlySpan<byte> bytes, CoapAddress remote) => Take(bytes, remote, null);

    private void Take(ReadOnlySpan<byte> bytes, CoapAddress remote, MemoryConnection? connection)
    {
        Answer answer = _spare.TryPop(out Answer? spare) ? spare : new Answer();
        answer.Length = _peer(_indexes[remote], bytes, answer.Bytes);
        answer.From = remote;
        answer.Connection = connection;
        if (answer.Length > 0)
        {
            _answers.Enqueue(answer);
        }
        else
        {
            _spare.Push(answer);
        }
    }

    private sealed class Answer
    {
        public byte[] Bytes { get; } = new byte[2048];

        public int Length { get; set; }

        public CoapAddress From { get; set; }

        public MemoryConnection? Connection { get; set; }
    }
}
