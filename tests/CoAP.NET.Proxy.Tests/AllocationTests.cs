namespace CoAP.NET.Proxy.Tests;

/// <summary>What a request that passes allocates: a client, the proxy and a server on the thread of the test, so that nothing else
/// counts.</summary>
public sealed class AllocationTests : IAsyncLifetime
{
    private const int Requests = 1000;

    // Bytes for each, which are 3,560 and 2,440: with both ends, what they remember of the messages, and the datagrams of this test.
    private const int MostSentOn = 3800;
    private const int MostCached = 2600;

    private static readonly CoapAddress s_proxy = CoapAddress.FromIPv4(0x7f000001, 5683);
    private static readonly CoapAddress s_client = CoapAddress.FromIPv4(0x7f000002, 40_000);
    private static readonly byte[] s_stale = [0xd0, 0x01];

    private readonly VirtualClock _clock = new();
    private readonly VirtualScheduler _scheduler;
    private readonly Wire _downstream = new();
    private readonly Wire _upstream = new();
    private readonly byte[] _answer = new byte[64];
    private readonly CoapServer _server;
    private readonly CoapProxy _proxy;
    private readonly byte[] _request = MakeRequest();
    private ushort _messageId;
    private bool _isFresh;
    private int _asked;

    public AllocationTests()
    {
        _scheduler = new VirtualScheduler(_clock);
        CoapEndpointOptions options = new();
        Configure(options);
        _server = new CoapServer(options);
        _server.Endpoint.AddTransport(_downstream);
        CoapProxyOptions proxy = new() { ConfigureClient = Configure };
        proxy.Targets.AllowNetwork("127.0.0.0/8:*");
        _proxy = new CoapProxy(proxy);
        _proxy.Client.Endpoint.AddTransport(_upstream);
        _server.MapForwardProxy(_proxy);
    }

    public async ValueTask InitializeAsync()
    {
        await _server.StartAsync();
        await _proxy.Client.Endpoint.StartAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        await _proxy.DisposeAsync();
    }

    [Fact]
    public void A_forwarded_request_allocates_only_what_its_two_exchanges_need()
    {
        Allocations.NeedOptimizedCode();
        long each = AllocatedByEach();

        Assert.Equal((Allocations.Runs + 1) * Requests, _asked);
        Assert.Equal(_asked, _downstream.Sent);
        Assert.InRange(each, 1, MostSentOn);
    }

    [Fact]
    public void A_request_answered_by_the_cache_allocates_no_exchange_with_a_server()
    {
        Allocations.NeedOptimizedCode();
        _isFresh = true;
        long each = AllocatedByEach();

        Assert.Equal(1, _asked);
        Assert.Equal((Allocations.Runs + 1) * Requests, _downstream.Sent);
        Assert.InRange(each, 1, MostCached);
    }

    private void Configure(CoapEndpointOptions options)
    {
        options.TimeProvider = _clock;
        options.Pipeline.Random = new VirtualRandom(1);
        options.Pipeline.Scheduler = _scheduler;
    }

    private long AllocatedByEach()
    {
        // With the context of the test what awaits an answer would go on on another thread.
        SynchronizationContext? context = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(null);
        try
        {
            Ask(Requests);
            return Allocations.Least(() => Ask(Requests)) / Requests;
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }

    private void Ask(int count)
    {
        for (int i = 0; i < count; i++)
        {
            _messageId++;
            (_request[2], _request[3]) = ((byte)(_messageId >> 8), (byte)_messageId);
            int asked = _upstream.Sent;
            _downstream.Receive(s_client, s_proxy, _request);
            if (_upstream.Sent > asked)
            {
                Answer();
            }

            // What awaits the answer goes on.
            _scheduler.RunAll();
        }
    }

    // 2.05 in the acknowledgement, with the token of the request.
    private void Answer()
    {
        _asked++;
        ReadOnlySpan<byte> request = _upstream.Last;
        int length = 4 + (request[0] & 0x0f);
        request[..length].CopyTo(_answer);
        _answer[0] |= 0x20;
        _answer[1] = CoapCode.Content.Value;
        if (!_isFresh)
        {
            s_stale.CopyTo(_answer.AsSpan(length));
            length += s_stale.Length;
        }

        _answer[length++] = 0xff;
        _answer[length++] = (byte)'a';
        _upstream.Receive(_upstream.Remote, s_proxy, _answer.AsSpan(0, length));
    }

    private static byte[] MakeRequest()
    {
        CoapMessage message = new(CoapCode.Get) { Type = CoapMessageType.Confirmable, Token = new CoapToken([1]) };
        message.Options.Add(new ProxyUriOption("coap://127.0.0.3/a"));
        return CoapDatagramSerializer.Default.Serialize(message);
    }

    /// <summary>Hands datagrams in on the thread of the test, and keeps the last one that left.</summary>
    private sealed class Wire : CoapDatagramTransport
    {
        private readonly byte[] _last = new byte[256];
        private ICoapDatagramTransportContext? _context;
        private int _length;

        public int Sent { get; private set; }

        public CoapAddress Remote { get; private set; }

        public ReadOnlySpan<byte> Last => _last.AsSpan(0, _length);

        public override string Scheme => "coap";

        public override IReadOnlyList<CoapAddress> LocalAddresses => [s_proxy];

        public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
        {
            _context = context;
            return ValueTask.CompletedTask;
        }

        public override void Send(CoapDatagram datagram)
        {
            Sent++;
            Remote = datagram.Remote;
            datagram.Span.CopyTo(_last);
            _length = datagram.Length;
            datagram.Dispose();
        }

        public void Receive(CoapAddress remote, CoapAddress local, ReadOnlySpan<byte> bytes)
        {
            CoapDatagram datagram = new(bytes.Length) { Length = bytes.Length, Remote = remote, Local = local, Transport = this };
            bytes.CopyTo(datagram.Buffer);
            _context!.Receive(datagram);
        }

        public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
