using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Testing;

namespace CoAP.NET.Tests.Exchanges;

/// <summary>A client and a server of this library that do not know each other.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class EchoEndToEndTests
{
    [Fact]
    [Rfc("9175-2.3-3", "9175-2.4-1")]
    public async Task A_client_that_returns_the_Echo_is_verified_before_its_share_is_exhausted()
    {
        await using Pair pair = await Pair.StartAsync();
        for (int i = 0; i < 12; i++)
        {
            Assert.Equal(1000, (await pair.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/big"))).Payload.Length);
        }

        Assert.Equal(1, pair.Server.Endpoint.Counters[CoapCounter.AddressesVerified]);
        Assert.Equal(1, pair.Server.Endpoint.Counters[CoapCounter.AmplificationDraws]);
        Assert.Equal(0, pair.Server.Endpoint.Counters[CoapCounter.AmplificationRefused]);
    }

    [Fact]
    [Rfc("9175-2.3-1", "9175-2.3-2")]
    public async Task A_PUT_to_a_route_that_requires_freshness_runs_once_per_call()
    {
        await using Pair pair = await Pair.StartAsync();
        for (int i = 0; i < 2; i++)
        {
            await pair.SendAsync(new CoapRequest(CoapMethod.Put, "coap://192.0.2.1/lock")).Gives(CoapCode.Changed);
            pair.Clock.Advance(FromMinutes(1));
        }

        Assert.Equal(2, pair.Opened);
        Assert.Equal(2, pair.Server.Endpoint.Counters[CoapCounter.EchoChallenges]);
    }

    [Fact]
    [Rfc("7967-2.1-2", "7967-2.1-3")]
    public async Task Requests_with_No_Response_are_executed_and_get_no_response()
    {
        await using Pair pair = await Pair.StartAsync();
        CoapRequest request = new(CoapMethod.Post, "coap://192.0.2.1/count") { NoResponse = CoAP.NET.NoResponseClasses.All };
        Assert.True((await pair.SendAsync(request)).IsNone);
        request.Confirmable = false;
        Assert.True((await pair.SendAsync(request)).IsNone);
        pair.Clock.Advance(FromSeconds(1));
        Assert.Equal(2, pair.Opened);
        Assert.Equal(1, pair.Server.Endpoint.Counters[CoapCounter.DatagramsSent]);
        Assert.Equal(2, pair.Server.Endpoint.Counters[CoapCounter.ResponsesNotWanted]);
    }

    private sealed class Pair : IAsyncDisposable
    {
        private readonly CoapClient _client;
        private int _opened;

        private Pair()
        {
            InMemoryNetwork network = new(Clock);
            Server = new CoapServer(new CoapEndpointOptions { TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(1) } });
            Server.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.1:5683")));
            _client = new CoapClient(new CoapEndpointOptions { TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(2) } });
            _client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.2:40000")));
            Server.MapGet("/big", () => new CoapResult(CoapCode.Content, new byte[1000]));
            Server.MapPut("/lock", Open).RequireFreshness(FromSeconds(30));
            Server.MapPost("/count", Open);
        }

        public VirtualClock Clock { get; } = new();

        public CoapServer Server { get; }

        public int Opened => Volatile.Read(ref _opened);

        public static async Task<Pair> StartAsync()
        {
            Pair pair = new();
            await pair.Server.StartAsync();
            return pair;
        }

        public Task<CoapResponse> SendAsync(CoapRequest request) =>
            Clock.AdvanceUntilAsync(_client.SendAsync(request), FromMinutes(1));

        public async ValueTask DisposeAsync()
        {
            await _client.DisposeAsync();
            await Server.DisposeAsync();
        }

        private CoapResult Open()
        {
            Interlocked.Increment(ref _opened);
            return CoapResults.Changed();
        }
    }
}
