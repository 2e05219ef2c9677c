using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Tests.Transports.Sessions;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Resources;

/// <summary>Strangers that ask for handlers which take long, beside peers that ask for little.</summary>
public sealed class ServedQuotaTests : EndpointTest
{
    private const int Max = 100;

    private static readonly CoapDatagramSerializer s_datagrams = new();
    private static readonly CoapStreamSerializer s_frames = new();

    private readonly TaskCompletionSource<CoapResult> _end = new(RunContinuationsAsynchronously);
    private readonly DirectStreamTransport _streams = new();
    private readonly DirectSessionTransport _sessions = new();
    private readonly Dictionary<CoapAddress, DirectConnection> _connections = [];
    private readonly Dictionary<CoapAddress, DirectSession> _opened = [];
    private readonly List<CoapMessage> _answers = [];
    private ushort _last;
    private int _running;

    public ServedQuotaTests() => Options.Limits.Requests.MaxServed = Max;

    [Theory]
    [InlineData("coap", 1)]
    [InlineData("coap", 4)]
    [InlineData("coap+tcp", 1)]
    [InlineData("coap+tcp", 4)]
    [InlineData("coaps", 1)]
    [InlineData("coaps", 4)]
    public async Task Few_sources_with_slow_requests_leave_capacity_for_other_peers(string scheme, int sources)
    {
        Options.Limits.Amplification.IsLimited = false;
        await StartAllAsync();
        for (int i = 0; i < 200; i++)
        {
            for (int source = 0; source < sources; source++)
            {
                Ask(scheme, Source(source, 1000 + (i % 20)), "slow");
            }
        }

        Assert.InRange(_running, sources == 1 ? 51 : 70, Max - (sources == 1 ? 49 : 10));
        Assert.Equal(_running, Server.Endpoint.Served.Count);
        Assert.Equal((200L * sources) - _running, Server.Counters[CoapCounter.RequestsBeyondQuota]);
        (CoapCode, TimeSpan) refusal = (CoapCode.ServiceUnavailable, FromSeconds(5));
        Assert.All(_answers, answer => Assert.Equal(refusal, (answer.Code, answer.Options.MaxAge)), throwIfEmpty: true);
        foreach (string other in new[] { "coap", "coap+tcp", "coaps" })
        {
            for (int modest = 10; modest < 12; modest++)
            {
                Assert.Equal("world", TextOf(Ask(other, Source(modest, 1000), "hello")));
                Assert.Null(Ask(other, Source(modest, 1000), "slow"));
            }
        }

        Assert.Equal(0, Server.Counters[CoapCounter.Busy]);
        await EndAsync();
    }

    [Fact]
    public async Task Filling_the_whole_capacity_takes_dozens_of_sources()
    {
        Options.Limits.Requests.MaxServed = 1000;
        Options.Limits.Amplification.IsLimited = false;
        await StartAllAsync();
        int sources = 0;
        while (_running < 1000)
        {
            int running;
            do
            {
                running = _running;
                Ask("coap", Source(sources, 1000), "slow");
            }
            while (_running > running);
            sources++;
        }

        Assert.InRange(sources, 30, 100);

        // Now there is nothing that anybody could have, and the handlers that run are not given up.
        long before = Server.Counters[CoapCounter.Busy];
        Assert.Equal(CoapCode.ServiceUnavailable, Ask("coap", Source(200, 1000), "hello")!.Code);
        Assert.Equal(before + 1, Server.Counters[CoapCounter.Busy]);
        await EndAsync();
    }

    [Fact]
    public async Task Forged_addresses_leave_capacity_to_verified_peers()
    {
        await StartAllAsync();
        for (int source = 0; source < 500; source++)
        {
            Ask("coap", Source(source, 1000), "slow");
        }

        Assert.Equal((75, 75), (_running, Server.Endpoint.Served.Quota.Unverified));
        Assert.All(_answers, answer => Assert.Equal(CoapCode.Unauthorized, answer.Code), throwIfEmpty: true);

        // Whoever shows that it receives at its address is served; who is known by a connection is not even asked.
        ReadOnlyMemory<byte> echo = _answers[^1].Options.Echo!.Value;
        Assert.Equal("world", TextOf(Ask("coap", Source(499, 1000), "hello", echo)));
        Assert.Equal("world", TextOf(Ask("coap", Source(499, 1000), "hello")));
        Assert.Equal("world", TextOf(Ask("coap+tcp", Source(600, 1000), "hello")));
        Assert.Equal("world", TextOf(Ask("coaps", Source(600, 1000), "hello")));
        await EndAsync();
    }

    [Fact]
    public async Task A_client_is_served_on_a_network_with_forged_requests()
    {
        NetworkConditions conditions = NetworkConditions.Delayed(FromMilliseconds(20));
        InMemoryNetwork network = new(Clock, new InMemoryNetworkOptions { MaxTraceLength = 0, Conditions = conditions });
        CoapAddress server = InMemoryNetwork.Address("192.0.2.1:5683");
        MapRoutes();
        Server.Endpoint.AddTransport(network.CreateTransport(server));
        await Server.StartAsync();
        SynchronizationContext.SetSynchronizationContext(null);
        for (int source = 0; source < 200; source++)
        {
            using ScriptedPeer stranger = network.CreatePeer(CoapAddress.FromIPv4(0xcb007100 + (uint)source, 5683), server);
            stranger.Send(s_datagrams.Serialize(Message("slow")));
            Clock.Advance(FromMilliseconds(50));
        }

        await using CoapClient client = new(new CoapEndpointOptions { TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(7) } });
        client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("198.51.100.1:40000")));
        for (int i = 0; i < 10; i++)
        {
            Task<CoapResponse> hello = client.GetAsync("coap://192.0.2.1/hello");
            Clock.Advance(FromSeconds(1));
            await Within(hello).Says("world");
        }

        Assert.Equal(75, _running);
        Assert.True(Server.Counters[CoapCounter.RequestsBeyondQuota] > 100);
        Assert.Equal(1, Server.Counters[CoapCounter.AddressesVerified]);
        await EndAsync();
    }

    [Fact]
    public async Task A_peer_with_an_identity_is_a_source_of_its_own()
    {
        await StartAllAsync();
        CoapAddress gateway = Source(0, 1000);
        CoapAddress neighbour = Source(0, 1001);
        _opened[neighbour] = _sessions.Accept(neighbour, new CoapNamedPeerIdentity("somebody"));
        for (int i = 0; i < 200; i++)
        {
            Ask("coaps", gateway, "slow");
        }

        int before = _running;
        Assert.Null(Ask("coaps", neighbour, "slow"));
        Assert.Equal((51, 52), (before, _running));
        await EndAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_source_that_fills_the_queue_of_a_route_leaves_places_to_other_sources(bool aside)
    {
        Options.Limits.Amplification.IsLimited = false;
        Options.Limits.Requests.MaxServed = 10_000;
        if (aside)
        {
            // No thread comes as far as the handler while the clock stands.
            Options.Pipeline.Scheduler = new VirtualScheduler(Clock);
        }

        CoapRouteHandlerBuilder queued = Server.MapGet("/queued", () => _end.Task).AllowInsecureTransport();
        _ = queued.WithExecution(aside
            ? CoapExecution.Offloaded(degreeOfParallelism: 1, capacity: 100) : CoapExecution.Queued(1, capacity: 100));
        await StartAllAsync();
        int refused = 0;
        for (int i = 0; i < 200; i++)
        {
            refused += Ask("coap", Source(0, 1000 + i), "queued")?.Code == CoapCode.ServiceUnavailable ? 1 : 0;
        }

        // One runs, and half of all places and one more are taken.
        Assert.Equal(200 - 52, refused);
        for (int modest = 1; modest < 10; modest++)
        {
            Assert.Null(Ask("coap", Source(modest, 1000), "queued"));
        }

        Clock.Advance(TimeSpan.Zero);
        await EndAsync();
    }

    private static string TextOf(CoapMessage? answer) => Encoding.UTF8.GetString(answer!.Payload.Span);

    private static CoapAddress Source(int source, int port) => CoapAddress.FromIPv4(0xc6336400 + ((uint)source << 8), (ushort)port);

    private void MapRoutes()
    {
        Server.MapGet("/slow", (CoapRequestContext _, CancellationToken _) =>
        {
            _running++;
            return _end.Task;
        }).AllowInsecureTransport();
        Server.MapGet("/hello", () => "world").AllowInsecureTransport();
    }

    private async Task StartAllAsync()
    {
        MapRoutes();
        Server.Endpoint.AddTransport(_streams);
        Server.Endpoint.AddTransport(_sessions);
        await StartAsync();
        SynchronizationContext.SetSynchronizationContext(null);
    }

    private CoapMessage Message(string path, ReadOnlyMemory<byte> echo = default)
    {
        CoapMessage message = new(CoapCode.Get) { Type = CoapMessageType.NonConfirmable, MessageId = ++_last };
        message.Token = new CoapToken([(byte)(_last >> 8), (byte)_last]);
        message.Options.Add(new UriPathOption(path));
        if (!echo.IsEmpty)
        {
            message.Options.Add(new EchoOption(echo.Span));
        }

        return message;
    }

    /// <summary>Sends a request and gives what was answered at once; null for nothing.</summary>
    private CoapMessage? Ask(string scheme, CoapAddress peer, string path, ReadOnlyMemory<byte> echo = default)
    {
        CoapMessage message = Message(path, echo);
        string[] sent;
        switch (scheme)
        {
            case "coap":
                Transport.TakeSent();
                Transport.Receive(peer, s_datagrams.Serialize(message));
                sent = Transport.TakeSent();
                break;
            case "coaps":
                if (!_opened.TryGetValue(peer, out DirectSession? session))
                {
                    _opened.Add(peer, session = _sessions.Accept(peer));
                }

                session.TakeSent();
                session.Receive(Wire.Hex(s_datagrams.Serialize(message)));
                sent = session.TakeSent();
                break;
            default:
                if (!_connections.TryGetValue(peer, out DirectConnection? connection))
                {
                    _connections.Add(peer, connection = _streams.Accept(peer));
                    connection.Receive("00e1");
                }

                connection.TakeSent();
                connection.Receive(Wire.Hex(s_frames.Serialize(message)));
                sent = connection.TakeSent();
                break;
        }

        CoapMessage? answer = sent.Length == 0 ? null
            : scheme == "coap+tcp" ? s_frames.Deserialize(Wire.Hex(sent[0]))
            : s_datagrams.Deserialize(Wire.Hex(sent[0]));
        if (answer is not null && path == "slow")
        {
            _answers.Add(answer);
        }

        return answer;
    }

    private async Task EndAsync()
    {
        _end.SetResult("late");
        await Within(Server.Endpoint.Served.WhenIdleAsync());
        await Eventually.IsTrueAsync(() => (Server.Endpoint.Served.Quota.Sources, Server.Endpoint.Served.Quota.Unverified) == (0, 0));
        Assert.Equal(0, Server.Counters[CoapCounter.StageErrors]);
    }
}
