using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Endpoints;
using Server;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>Our client and our server with the resources of samples/Server, on a network and a clock of their own.</summary>
public sealed class PlugtestBench : IAsyncDisposable
{
    internal static readonly CoapAddress ServerAddress = InMemoryNetwork.Address("192.0.2.1:5683");
    private static readonly CoapAddress s_client = InMemoryNetwork.Address("192.0.2.2:40000");
    private static readonly TimeSpan s_patience = FromMinutes(20);

    private readonly bool _isExact;
    private readonly int _seed;
    private readonly PlugtestPath _path;
    private readonly List<CoapResponse> _responses = [];
    private readonly List<PlugtestObserver> _observers = [];
    private CoapServer _server;
    private long _executed;
    private long _unsafeExecuted;

    private PlugtestBench(int seed, double loss, bool isExact, PlugtestPath path)
    {
        (_isExact, _seed, _path) = (isExact, seed, path);
        Network = new InMemoryNetwork(Clock, new InMemoryNetworkOptions
        {
            Seed = (ulong)seed,
            Conditions = NetworkConditions.Delayed(FromMilliseconds(20)) with { Loss = loss },
        });
        _server = CreateServer();
        Client = CreateClient(1);
    }

    public VirtualClock Clock { get; } = new();

    public InMemoryNetwork Network { get; }

    public CoapClient Client { get; private set; }

    /// <summary>What came back, in the order of the requests.</summary>
    public IReadOnlyList<CoapResponse> Responses => _responses;

    /// <summary>What the scenario found besides, in words.</summary>
    public List<string> Findings { get; } = [];

    public int Requests { get; private set; }

    public int UnsafeRequests { get; private set; }

    /// <summary>How many times the server handed a request in a datagram to a resource, but for what it asks itself to notify
    /// observers.</summary>
    public long Executed => Interlocked.Read(ref _executed);

    /// <summary>Those of them that change something.</summary>
    public long UnsafeExecuted => Interlocked.Read(ref _unsafeExecuted);

    /// <summary>When the server was switched on, by the clock.</summary>
    public TimeSpan ServerStarted { get; private set; }

    public int Observers => _server.ObserverCount;

    /// <summary>Whether nobody observes the server, or is about to.</summary>
    public bool IsUnobserved => Observers == 0 && _path.IsIdle;

    public int Datagrams => Network.Trace.Count(static happened => happened.Kind == NetworkEventKind.Sent);

    public long StageErrors =>
        _server.Counters[CoapCounter.StageErrors] + Client.Endpoint.Counters[CoapCounter.StageErrors] + _path.StageErrors;

    /// <summary>Sets the bench up.</summary>
    /// <param name="seed">The chance of network and hosts.</param>
    /// <param name="loss">How many datagrams are lost by chance.</param>
    /// <param name="isExact">
    /// Whether the client goes on on threads, as it does in earnest, and no time passes while any thread is at work. That costs a hundred
    /// times as much as a client that goes on when the clock does.
    /// </param>
    /// <param name="path">What stands between client and server; null for nothing.</param>
    public static async Task<PlugtestBench> CreateAsync(int seed = 1, double loss = 0, bool isExact = false, PlugtestPath? path = null)
    {
        PlugtestBench bench = new(seed, loss, isExact, path ?? new PlugtestPath());
        await bench._server.StartAsync();
        await bench._path.StartAsync(bench);
        await bench.Client.Endpoint.StartAsync();
        return bench;
    }

    /// <summary>Makes requests at once and waits for all of them.</summary>
    /// <exception cref="CoapTimeoutException">Of one of them at least; the responses to the others are noted.</exception>
    public async Task<CoapResponse> AskAsync(params CoapRequest[] requests)
    {
        Requests += requests.Length;
        UnsafeRequests += requests.Count(static request => !request.Code.IsSafe);
        Task<CoapResponse>[] tasks = [.. requests.Select(request => Client.SendAsync(_path.Through(request)))];
        await UntilAsync(() => Array.TrueForAll(tasks, static task => task.IsCompleted));
        CoapTimeoutException? timeout = null;
        foreach (Task<CoapResponse> task in tasks)
        {
            try
            {
                _responses.Add(await task.WaitAsync(FromMinutes(2)));
            }
            catch (CoapTimeoutException exception)
            {
                timeout = exception;
            }
        }

        return timeout is null ? _responses[^1] : throw timeout;
    }

    /// <summary>Observes a resource.</summary>
    public async Task<PlugtestObserver> ObserveAsync(CoapRequest request)
    {
        Requests++;
        PlugtestObserver observer = new();
        Task<CoapObservation> task = Client.ObserveAsync(
            _path.Through(request), new CoapObservationOptions { OnNotification = observer.Take });
        await UntilAsync(() => task.IsCompleted);
        observer.Observation = await task;
        _observers.Add(observer);
        return observer;
    }

    public Task PassAsync(TimeSpan time)
    {
        TimeSpan end = Clock.Elapsed + time;
        return UntilAsync(() => Clock.Elapsed >= end, time);
    }

    /// <summary>Lets time pass until something is true.</summary>
    public async Task UntilAsync(Func<bool> condition, TimeSpan? max = null)
    {
        if (_isExact)
        {
            await Clock.AdvanceUntilAsync(condition, max ?? s_patience);
            return;
        }

        // Everything runs within the advance: what is due, what is received, and how the client goes on.
        TimeSpan end = Clock.Elapsed + (max ?? s_patience);
        while (!condition())
        {
            Assert.True(Clock.Elapsed < end,
                $"What was waited for did not happen.{Environment.NewLine}{string.Join(Environment.NewLine, Network.Trace.TakeLast(60))}");
            Clock.AdvanceTo(Clock.NextDue is { } next && next < end ? next : end);
        }
    }

    /// <summary>From now on nothing is lost by chance.</summary>
    public void EndLoss() => Network.Conditions = Network.Conditions with { Loss = 0 };

    /// <summary>Switches the server off and on: it forgets everything.</summary>
    public async Task RestartServerAsync()
    {
        await _server.DisposeAsync();
        _server = CreateServer();
        await _server.StartAsync();
    }

    /// <summary>Nothing gets to the client or from it any more.</summary>
    public void CutClientOff() => Network.Partition(s_client);

    /// <summary>Switches the client off and on, without a word to anybody: it forgets everything.</summary>
    public async Task RestartClientAsync()
    {
        CutClientOff();
        _observers.Clear();
        await Client.DisposeAsync();
        Network.Heal();
        Client = CreateClient(2);
        await Client.Endpoint.StartAsync();
    }

    public async ValueTask DisposeAsync()
    {
        foreach (PlugtestObserver observer in _observers)
        {
            await observer.Observation!.DisposeAsync();
        }

        await Client.DisposeAsync();
        await _path.DisposeAsync();
        await _server.DisposeAsync();
    }

    /// <summary>Gives a host of the bench its clock and its chance.</summary>
    /// <param name="options">The options of its endpoint.</param>
    /// <param name="host">Which one: 0 is the server, 1 and 2 are the client.</param>
    public CoapEndpointOptions Prepare(CoapEndpointOptions options, int host)
    {
        options.TimeProvider = Clock;
        options.Pipeline.Random = new VirtualRandom((ulong)((_seed * 2) + host));
        return options;
    }

    private CoapClient CreateClient(int host)
    {
        CoapEndpointOptions options = Prepare(new CoapEndpointOptions(), host);
        if (!_isExact)
        {
            options.Pipeline.Scheduler = new VirtualScheduler(Clock);
        }

        CoapClient client = new(options);
        client.Endpoint.AddTransport(_path.CreateClientTransport(Network, s_client));
        return client;
    }

    private CoapServer CreateServer()
    {
        CoapEndpointOptions options = Prepare(new CoapEndpointOptions(), 0);
        options.Pipeline.Insert(CoapStageLinks.ExchangesToResource, () => new PassBlock<CoapExchange>(Count));
        CoapServer server = new(options);
        server.Endpoint.AddTransport(_path.CreateServerTransport(Network, ServerAddress));
        PlugtestResources.MapTo(server, Clock);
        ServerStarted = Clock.Elapsed;
        return server;
    }

    private void Count(CoapExchange exchange)
    {
        if (exchange.Received is not null)
        {
            Interlocked.Increment(ref _executed);
        }

        // A connection keeps no received messages, and what the server asks itself is safe.
        Interlocked.Add(ref _unsafeExecuted, exchange.Request.Code.IsSafe ? 0 : 1);
    }
}
