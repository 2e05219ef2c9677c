using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Engines;

/// <summary>
/// A server and its clients over one engine and in real time, as no other time has a receive loop keep it. What clients send and receive
/// can be lost or delayed.
/// </summary>
internal sealed class EngineWorld : IAsyncDisposable
{
    public static readonly TimeSpan Hang = FromMinutes(2);

    private readonly TestEngine _engine;
    private readonly List<CoapClient> _clients = [];
    private string _host = "";

    private EngineWorld(TestEngine engine, CoapServer server)
    {
        _engine = engine;
        Server = server;
    }

    public CoapServer Server { get; }

    /// <summary>Short times and many copies: what is lost often must not make a request fail, nor a test long.</summary>
    public static CoapTransmissionParameters Quick => CoapTransmissionParameters.Default with
    {
        AckTimeout = FromMilliseconds(30),
        MaxRetransmit = 12,
        NStart = 16,
        ProbingRate = double.PositiveInfinity,
        MaxLatency = FromSeconds(1),
        NonTimeout = FromMilliseconds(40),
        NonReceiveTimeout = FromMilliseconds(100),
        NonMaxRetransmit = 10,
    };

    /// <summary>Starts a server.</summary>
    /// <typeparam name="TEngines">The engines of a test project.</typeparam>
    /// <param name="engine">The name of an engine of <typeparamref name="TEngines"/>.</param>
    /// <param name="map">Maps what it serves.</param>
    /// <param name="configure">Changes its options.</param>
    public static async Task<EngineWorld> StartAsync<TEngines>(
        string engine, Action<CoapServer> map, Action<CoapEndpointOptions>? configure = null)
        where TEngines : IEngineList
    {
        TestEngine made = TEngines.Make(engine);
        CoapEndpointOptions options = new();
        configure?.Invoke(options);
        EngineWorld world = new(made, made.MakeServer(options));
        map(world.Server);
        world._host = await made.StartAsync(world.Server).WaitAsync(Hang);
        return world;
    }

    public string Uri(string path) => _host + path;

    /// <summary>Makes a client.</summary>
    /// <param name="configure">Changes its options.</param>
    /// <param name="losesSent">Says of each message that the client sends whether it is lost.</param>
    /// <param name="losesReceived">Says of each message that comes to the client whether it is lost.</param>
    /// <param name="delay">How long what the client sends is under way.</param>
    public CoapClient Client(
        Action<CoapEndpointOptions>? configure = null,
        Func<CoapDatagram, bool>? losesSent = null,
        Func<CoapDatagram, bool>? losesReceived = null,
        TimeSpan? delay = null)
    {
        CoapEndpointOptions options = new();
        configure?.Invoke(options);
        if (losesSent is not null)
        {
            options.Pipeline.Insert(CoapStageLinks.ChannelToTransport, () => new PathBlock(losesSent));
        }

        if (losesReceived is not null)
        {
            options.Pipeline.Insert(CoapStageLinks.TransportToChannel, () => new PathBlock(losesReceived));
        }

        if (delay is { } time)
        {
            options.Pipeline.Insert(CoapStageLinks.ChannelToTransport, () => new TransformBlock<CoapDatagram, CoapDatagram>(
                async datagram =>
                {
                    await Task.Delay(time, TimeProvider.System, CancellationToken.None);
                    return datagram;
                },
                new ExecutionDataflowBlockOptions { MaxDegreeOfParallelism = DataflowBlockOptions.Unbounded }));
        }

        CoapClient client = _engine.MakeClient(options);
        _clients.Add(client);
        return client;
    }

    /// <summary>Nothing of any message or request is left at the server.</summary>
    public Task AssertNothingLeftAsync() => Eventually.IsTrueAsync(() =>
        Server.RequestsServed == 0
        && Server.Endpoint.Pipelines.Sum(
            static pipeline => pipeline.Messages.Outstanding + pipeline.Messages.Waiting + pipeline.Messages.Memory.Running) == 0);

    public async ValueTask DisposeAsync()
    {
        foreach (CoapClient client in _clients)
        {
            await client.DisposeAsync();
        }

        await Server.DisposeAsync();
        await _engine.DisposeAsync();
        Assert.Equal(0, Server.Counters[CoapCounter.StageErrors]);
    }
}
