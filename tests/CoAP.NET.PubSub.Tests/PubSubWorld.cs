namespace CoAP.NET.PubSub.Tests;

/// <summary>A broker and clients on a network in memory, in virtual time.</summary>
public sealed class PubSubWorld : IAsyncDisposable
{
    internal const string Uri = "coap://[2001:db8::1]";

    private readonly List<CoapClient> _clients = [];
    private ulong _seed;

    public PubSubWorld(
        Action<CoapPubSubOptions>? configure = null, InMemoryNetworkOptions? network = null, DateTimeOffset? start = null)
    {
        Clock = start is { } time ? new VirtualClock(time) : new VirtualClock();
        Network = new InMemoryNetwork(Clock, network);
        Server = MakeServer("[2001:db8::1]:5683");
        CoapPubSubOptions own = new()
        {
            TimeProvider = Clock, Scheduler = new VirtualScheduler(Clock), Random = new VirtualRandom(7),
        };
        configure?.Invoke(own);
        Broker = Server.MapPubSub("/ps", own);
        Client = MakeClient(1);
        Collection = new CoapPubSubClient(Client, $"{Uri}/ps");
    }

    internal VirtualClock Clock { get; }

    internal InMemoryNetwork Network { get; }

    internal CoapServer Server { get; }

    internal CoapPubSubBroker Broker { get; }

    internal CoapClient Client { get; }

    internal CoapPubSubClient Collection { get; }

    public async ValueTask DisposeAsync()
    {
        foreach (CoapClient client in _clients)
        {
            await EndAsync(client);
        }

        await EndAsync(Server);
        await Broker.DisposeAsync();
    }

    /// <summary>A client at an address of a network of its own, so a source of its own.</summary>
    internal CoapClient MakeClient(int network, int host = 1)
    {
        CoapEndpointOptions options = new();
        Configure(options);
        CoapClient client = new(options);
        client.Endpoint.AddTransport(Network.CreateTransport(
            InMemoryNetwork.Address($"[2001:db8:{network:x}00::{host:x}]:{50_000 + _clients.Count}")));
        _clients.Add(client);
        return client;
    }

    /// <summary>One more server; the test ends it.</summary>
    internal CoapServer MakeServer(string address)
    {
        CoapEndpointOptions options = new();
        Configure(options);
        CoapServer server = new(options);
        server.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address(address)));
        return server;
    }

    /// <summary>Asks by bytes; gives the code and the payload in hexadecimal.</summary>
    internal async Task<(string Code, string Payload, CoapResponse Response)> AskAsync(
        CoapMethod method, string path, string payload = "", int format = 606, CoapClient? client = null, Action<CoapRequest>? more = null)
    {
        CoapRequest request = new(method, $"{Uri}{path}");
        if (payload.Length > 0)
        {
            request.Content = new CoapContent(Convert.FromHexString(payload.Replace(" ", "", Ordinal)),
                (CoapContentFormat)format);
        }

        more?.Invoke(request);
        CoapResponse response = await RunAsync(() => (client ?? Client).SendAsync(request));
        return (response.Code.ToString()[..4], Convert.ToHexStringLower(response.Payload.Span), response);
    }

    internal Task StartAsync() => Server.StartAsync();

    internal Task<CoapTopic> CreateAsync(CoapTopicProperties properties, CoapPubSubClient? client = null) =>
        RunAsync(() => (client ?? Collection).CreateAsync(properties));

    internal Task<T> RunAsync<T>(Func<Task<T>> exchange) => Clock.AdvanceUntilAsync(exchange(), FromMinutes(10));

    internal Task UntilAsync(Func<bool> condition, TimeSpan? max = null) =>
        Clock.AdvanceUntilAsync(condition, max ?? FromMinutes(10));

    internal Task PassAsync(TimeSpan time)
    {
        TimeSpan end = Clock.Elapsed + time;
        return Clock.AdvanceUntilAsync(() => Clock.Elapsed >= end, time + FromSeconds(1), time);
    }

    internal Task EndAsync(IAsyncDisposable one) => Clock.AdvanceUntilAsync(one.DisposeAsync().AsTask(), FromMinutes(10));

    internal Task<CoapObservation> ObserveAsync(CoapUri uri, CoapClient? client = null) =>
        RunAsync(() => (client ?? Client).ObserveAsync(uri));

    internal static string Text(CoapObservation observation) => observation.Latest?.GetText() ?? "";

    private void Configure(CoapEndpointOptions options)
    {
        options.TimeProvider = Clock;
        options.Pipeline.Random = new VirtualRandom(++_seed);
        options.Pipeline.Scheduler = new VirtualScheduler(Clock);
    }
}
