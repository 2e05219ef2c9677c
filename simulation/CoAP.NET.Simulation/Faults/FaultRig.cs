using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Simulation.Faults;

/// <summary>
/// A server over UDP and TCP with user code at every place that the library calls, and a client beside which others load it.
/// </summary>
internal sealed class FaultRig : IAsyncDisposable
{
    /// <summary>The client that is hit repeats a lost message soon, and gives up late: a machine may be busy.</summary>
    private static readonly CoapTransmissionParameters s_impatient = CoapTransmissionParameters.Default with
    {
        AckTimeout = TimeSpan.FromMilliseconds(150),
        MaxRetransmit = 5,
        ResponseTimeout = TimeSpan.FromSeconds(10),
    };

    private FaultRig(FaultInjector injector, FaultScheduler scheduler, FaultLog serverLog, FaultLog clientLog, CoapServer server)
    {
        Injector = injector;
        Scheduler = scheduler;
        ServerLog = serverLog;
        ClientLog = clientLog;
        Server = server;
        Resources = new FaultResources(injector, server);
    }

    public FaultInjector Injector { get; }

    public FaultScheduler Scheduler { get; }

    public FaultLog ServerLog { get; }

    public FaultLog ClientLog { get; }

    public CoapServer Server { get; }

    public FaultResources Resources { get; }

    /// <summary>What the clients that are hit counted, all together: each has an endpoint of its own.</summary>
    public CoapCounters ClientCounters { get; } = new();

    /// <summary>Faults beside the one that was asked for, which are counted as well.</summary>
    public CoapCounters Extra { get; } = new();

    /// <summary>See <see cref="Extra"/>.</summary>
    public void NoteExtra(CoapCounter counter) => Extra.Add(counter);

    public static async Task<FaultRig> StartAsync(int shards, FaultInjector? injector = null, Action<CoapEndpointOptions>? configure = null)
    {
        injector ??= new FaultInjector();
        FaultScheduler scheduler = new(injector);
        FaultLog serverLog = new(injector);
        CoapEndpointOptions options = new()
        {
            Transports = { Shards = shards },
            Pipeline = { Scheduler = scheduler },
            LoggerFactory = serverLog,
            Registry = CoapOptionRegistryWithFault(injector),
            ParametersOf = _ =>
            {
                injector.Hit("ParametersOf");
                return null;
            },
        };
        AddBlocks(options.Pipeline, injector);
        configure?.Invoke(options);
        CoapServer server = new(options);
        FaultRig rig = new(injector, scheduler, serverLog, new FaultLog(injector), server);
        server.Endpoint.PeerConnected += (_, peer) =>
        {
            injector.Hit("PeerConnected", peer.Address.Port);
            peer.Disconnected.Register(() => injector.Hit("a callback of CoapPeer.Disconnected", peer.Address.Port));
        };
        server.Endpoint.PeerDisconnected += (_, gone) => injector.Hit("PeerDisconnected", gone.Peer.Address.Port);
        server.Listen("coap://127.0.0.1:0");
        server.Listen("coap+tcp://127.0.0.1:0");
        await server.StartAsync();
        return rig;
    }

    /// <summary>The address of a resource.</summary>
    public string Uri(string scheme, string path) =>
        Server.LocalEndpoints.First(uri => uri.Scheme == scheme).Origin() + path;

    /// <summary>A client of its own peer.</summary>
    public FaultClient NewClient(string scheme, Action<CoapEndpointOptions>? configure = null)
    {
        CoapEndpointOptions options = new()
        {
            LoggerFactory = ClientLog,
            Parameters = s_impatient,
            Registry = CoapOptionRegistryWithFault(Injector)
        };
        configure?.Invoke(options);
        return new FaultClient(this, scheme, options);
    }

    public ValueTask DisposeAsync() => Server.DisposeAsync();

    private static CoapOptionRegistry CoapOptionRegistryWithFault(FaultInjector injector) =>
        CoapOptionRegistry.Default.With(new FaultOption.Factory(injector));

    private static void AddBlocks(CoapPipelineOptions pipeline, FaultInjector injector)
    {
        Insert(CoapStageLinks.TransportToChannel, item => item.Remote);
        Insert(CoapStageLinks.ChannelToSerializer, item => item.Remote);
        Insert(CoapStageLinks.SerializerToMessaging, item => item.Channel.Remote);
        Insert(CoapStageLinks.MessagingToExchanges, item => item.Channel.Remote);
        Insert(CoapStageLinks.ExchangesToResource, item => item.Channel.Remote);
        Insert(CoapStageLinks.ResourceToExchanges, item => item.Exchange.Channel.Remote);
        Insert(CoapStageLinks.ExchangesToMessaging, item => item.Channel.Remote);
        Insert(CoapStageLinks.MessagingToSerializer, item => item.Channel.Remote);
        Insert(CoapStageLinks.SerializerToChannel, item => item.Channel!.Remote);
        Insert(CoapStageLinks.ChannelToTransport, item => item.Channel?.Remote ?? item.Remote);

        void Insert<T>(CoapStageLink<T> link, Func<T, CoapAddress> remoteOf)
        {
            string place = $"link {link.Name}";
            pipeline.Insert(link, () => new PassingBlock<T>(item => injector.Hit(place, remoteOf(item).Port)));
        }
    }
}

/// <summary>An option of a user. Its factory throws when a fault is due, though it must not.</summary>
internal sealed class FaultOption(uint value) : UIntOption(Definition, value), ITypedOption<FaultOption>
{
    public static new OptionDefinition Definition { get; } = new(65_000, "Fault", OptionFormat.UInt, minLength: 0, maxLength: 1);

    public static FaultOption Create(OptionData data) => new(data.GetUInt());

    /// <summary>Its factory.</summary>
    internal sealed class Factory(FaultInjector injector) : IOptionFactory
    {
        public OptionDefinition Definition => FaultOption.Definition;

        public CoapOption Create(OptionData data)
        {
            injector.Hit("an option factory");
            return new FaultOption(data.GetUInt());
        }
    }
}

/// <summary>A task scheduler of a user that refuses when a fault is due.</summary>
internal sealed class FaultTasks(FaultInjector injector) : TaskScheduler
{
    protected override void QueueTask(Task task)
    {
        injector.Hit("a task scheduler: QueueTask");
        TryExecuteTask(task);
    }

    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => TryExecuteTask(task);

    protected override IEnumerable<Task> GetScheduledTasks() => [];
}
