using System.Collections.Concurrent;
using System.Net;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;
using CoAP.NET.Exchanges;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Blockwise.EndToEnd;

/// <summary>
/// Clients and a server of this library on a network in memory. What the server's handlers get and give is noted, so that wrong bodies and
/// second runs are found out.
/// </summary>
internal sealed class TransferNetwork : IAsyncDisposable
{
    public const string Uri = "coap://192.0.2.1/";

    private static readonly CoapAddress s_server = InMemoryNetwork.Address("192.0.2.1:5683");

    private readonly List<CoapClient> _clients = [];
    private readonly CoapEndpointOptions _options;
    private readonly ulong _seed;

    /// <param name="conditions">Null: a perfect network that needs no clock.</param>
    public TransferNetwork(NetworkConditions? conditions = null, int seed = 1, bool isTrusting = true,
        Action<CoapEndpointOptions>? options = null)
    {
        _seed = (ulong)seed;
        Network = new InMemoryNetwork(Clock, new InMemoryNetworkOptions
        {
            Seed = _seed,
            Conditions = conditions ?? NetworkConditions.Perfect,
            Scheduler = conditions is null ? CoapThreadScheduler.Default : null,
            MaxTraceLength = 0,
        });
        _options = new CoapEndpointOptions { TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(_seed) } };
        if (isTrusting)
        {
            _options.Limits.Peers.TrustedPrefixes.Add(IPNetwork.Parse("192.0.2.0/24"));
        }

        options?.Invoke(_options);
        Server = new CoapServer(_options);
    }

    public VirtualClock Clock { get; } = new();

    public InMemoryNetwork Network { get; }

    public CoapServer Server { get; private set; }

    /// <summary>How often handlers ran for a body, by its text.</summary>
    public ConcurrentDictionary<string, int> Runs { get; } = [];

    /// <summary>Bytes that are others for each number and length.</summary>
    public static byte[] Body(int length, int number = 0)
    {
        byte[] body = new byte[length];
        new Random((number * 100_003) + length).NextBytes(body);
        return body;
    }

    /// <summary>What the server's handlers make of a body: other bytes, and more of them.</summary>
    public static byte[] AnswerTo(ReadOnlySpan<byte> body)
    {
        byte[] answer = new byte[(body.Length * 3 / 2) + 5];
        for (int i = 0; i < answer.Length; i++)
        {
            answer[i] = (byte)(i * 7 ^ (body.Length == 0 ? 0 : body[i % body.Length]));
        }

        return answer;
    }

    public CoapResult Take(CoapRequestContext request)
    {
        byte[] body = request.Payload.ToArray();
        Note(body);
        return new CoapResult(request.Code.IsSafe ? CoapCode.Content : CoapCode.Changed, AnswerTo(body));
    }

    public async Task<CoapResult> TakeStreamAsync(CoapRequestContext request)
    {
        MemoryStream body = new();
        await request.BodyReader.CopyToAsync(body).ConfigureAwait(false);
        Note(body.ToArray());
        return new CoapResult(CoapCode.Changed, AnswerTo(body.ToArray()));
    }

    public void Note(byte[] body) => Runs.AddOrUpdate(Convert.ToHexString(body), 1, static (_, count) => count + 1);

    public int RunsOf(byte[] body) => Runs.GetValueOrDefault(Convert.ToHexString(body));

    public Task StartAsync()
    {
        Server.Endpoint.AddTransport(Network.CreateTransport(s_server));
        return Server.StartAsync();
    }

    /// <summary>Puts another server in the place of the one there is, which loses all it knows.</summary>
    public async Task RestartAsync(Action<CoapServer> map)
    {
        await Server.DisposeAsync();
        Server = new CoapServer(_options);
        map(Server);
        await StartAsync();
    }

    public CoapClient Client(string address = "192.0.2.2:40000", Action<CoapEndpointOptions>? options = null)
    {
        CoapEndpointOptions own =
            new() { TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(_seed + 1000 + (ulong)_clients.Count) } };
        options?.Invoke(own);
        CoapClient client = new(own);
        client.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address(address)));
        _clients.Add(client);
        return client;
    }

    /// <summary>Waits while time passes.</summary>
    public Task<T> PassAsync<T>(Task<T> task) => Clock.AdvanceUntilAsync(task, FromHours(2));

    /// <summary>Waits on a network that needs no time.</summary>
    public static Task<T> Within<T>(Task<T> task) => task.WaitAsync(FromMinutes(2));

    /// <summary>
    /// Lets what may be kept for a while run out, and then nothing is left on either side: no body, answer, byte of the bounds, request,
    /// message, pin or timer.
    /// </summary>
    public async Task AssertAllIsFreeAsync(bool timers = true)
    {
        try
        {
            await Clock.AdvanceUntilAsync(() => Left(timers).Length == 0, FromHours(2), FromMinutes(5));
        }
        catch (TimeoutException)
        {
            Assert.Fail(Left(timers));
        }

        Assert.Equal(0, Server.Counters[CoapCounter.StageErrors]);
        Assert.All(_clients, client => Assert.Equal(0, client.Endpoint.Counters[CoapCounter.StageErrors]));
    }

    /// <summary>A client has nothing under way any more, at once.</summary>
    public Task AssertIsIdleAsync(CoapClient client) =>
        Clock.AdvanceUntilAsync(() => Left(client.Endpoint, timers: false).Length == 0, TimeSpan.Zero);

    public async ValueTask DisposeAsync()
    {
        foreach (CoapClient client in _clients)
        {
            await client.DisposeAsync();
        }

        await Server.DisposeAsync();
    }

    private string Left(bool timers) =>
        Left(Server.Endpoint, timers) + string.Concat(_clients.Select(client => Left(client.Endpoint, timers)));

    private static string Left(CoapEndpoint endpoint, bool timers)
    {
        string left = string.Empty;
        void Count(string name, long count) => left += count == 0 ? string.Empty : $"{count} {name}; ";
        foreach (CoapShardPipeline pipeline in endpoint.Pipelines)
        {
            lock (pipeline.Shard.Gate)
            {
                Count("bodies", pipeline.Blockwise.Requests.Count);
                Count("transfers", pipeline.Blockwise.Responses.Count);
                Count("answers", pipeline.Blockwise.Responses.SharedCount);
                Count("messages outstanding", pipeline.Messages.Outstanding);
                Count("messages waiting", pipeline.Messages.Waiting);
                Count("timers", timers ? pipeline.Shard.Wheel.Count - (pipeline.Channels.WatchesIdle ? 1 : 0) : 0);
                foreach (CoapChannel channel in pipeline.Channels.All())
                {
                    Count("requests", ExchangeLayer.PendingOf(channel));
                    Count("pins", channel.Pins);
                }
            }
        }

        Count("bytes of requests", endpoint.Bodies.Requests.Used);
        Count("bytes of newcomers' requests", endpoint.Bodies.Requests.UsedByNewcomers);
        Count("bytes of responses", endpoint.Bodies.Responses.Used);
        Count("bytes of newcomers' responses", endpoint.Bodies.Responses.UsedByNewcomers);
        Count("handlers", endpoint.Served.Count);
        return left;
    }
}
