using System.Net;
using CoAP.NET.Blockwise;
using CoAP.NET.Blockwise.Server;
using CoAP.NET.Channels;
using CoAP.NET.Composition;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Connecting;
using CoAP.NET.Errors;
using CoAP.NET.Exchanges;
using CoAP.NET.Formats;
using CoAP.NET.Groups;
using CoAP.NET.Messaging;
using CoAP.NET.Observing;
using CoAP.NET.Observing.Client;
using CoAP.NET.Observing.Server;
using CoAP.NET.RequestSteps;
using CoAP.NET.Resources;
using CoAP.NET.Signalling;
using CoAP.NET.Transports;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Endpoints;

/// <summary>
/// Creates the parts of an endpoint from its options and connects them. Peers and shards reach their endpoint through it.
/// <see cref="CoapEndpoint"/> is its facade and starts and stops it.
/// </summary>
internal sealed class EndpointCore : IPeerActions
{
    /// <summary>Creates the parts; nothing is started.</summary>
    public EndpointCore(CoapEndpoint face, CoapEndpointOptions options)
    {
        Face = face;
        ObserverStore = options.Processes.ObserverStore;
        State = new EndpointState { AnswersWhileStopping = options.Processes.AnswerWhileStopping ?? true };
        CoapInstruments instruments = CoapInstruments.Of(options.Telemetry.MeterFactory);
        KeyValuePair<string, object?>[] tags =
            [.. options.Name is { } name ? [new(TelemetryTags.Endpoint, name)] : Array.Empty<KeyValuePair<string, object?>>(),
                .. options.Telemetry.Tags];
        Environment = EnvironmentOf(options,
            new EndpointTelemetry(instruments, options.TimeProvider, tags) { ContextOption = options.Telemetry.TraceContextOption ?? 0 });
        CoapLimits limits = Environment.Limits;
        Served = new RunningRequestCounter(limits.Requests.MaxServed, options.Transports.Shards)
        {
            Threads = !OperatingSystem.IsBrowser() && options.Pipeline.Scheduler is CoapThreadPool threads ? threads.Handlers : null,
        };
        Routes = options.Routes?.Take() ?? new RouteTable();
        Routes.Environment = Environment;
        Bodies = new BlockwiseBudgets(limits, FileDescriptorHeadroom.Limit);
        Connections = new ConnectionTable(limits, Environment.Sources);
        CoapDatagramSerializer serializer = new(limits.Messages.ForSerializer(options.Registry));
        CoapSerializerOptions onConnections =
            limits.Messages.ForSerializer(options.Registry, limits.Connections.MaxMessageSize);
        CoapStreamSerializer streams = new(onConnections);
        CoapWebSocketSerializer webSockets = new(onConnections);
        CoapAddressHash hash = new(Environment.Random);
        Groups = new GroupResponseSettings(Math.Max(1, limits.Requests.MaxDelayedGroupResponses / options.Transports.Shards), serializer);
        GroupRequests = new GroupRequests(Environment.Random, limits.Requests.MaxGroupRequests);
        options.MakeReadOnly("an endpoint, client or server");
        if (options.Pipeline.IsReplaced(CoapStages.Resource))
        {
            Routes.LeaveTo(new RequestBodyPolicy(RequestBodyMode.Whole, limits.Blockwise.MaxRequestBodySize));
        }

        PipelineParts parts = new()
        {
            Options = options.Pipeline,
            ShardCount = options.Transports.Shards,
            Hash = hash,
            Connections = Connections,
            Formats = new MessageFormats(serializer, streams, webSockets),
            Groups = Groups,
            GroupRequests = GroupRequests,
            GroupMessageIds = new GroupMessageIds(Environment.Random),
            Buffers = new CoapDatagramPool(limits.Messages.MaxDatagramSize),
            State = State,
            Stateless = Stateless,
            Routes = Routes,
            Rules = new RequestRules(Routes, Environment),
            Served = Served,
            Bodies = Bodies,
            QBlock = options.QBlock,
            Observers = Observers,
            ObserverEvents = new ObserverEvents(options.Processes.ObserverStore, State, Environment),
        };
        AmplificationLimiter guard = new(Environment);
        Pipelines = new CoapShardPipeline[options.Transports.Shards];
        Clocks = new ShardTimerDriver[options.Transports.Shards];
        for (int i = 0; i < Pipelines.Length; i++)
        {
            CoapShard shard = new(i, Environment)
            {
                Guard = guard,
                KeepsRequests = options.Pipeline.HasBlocks,
                MaxProtectedPeers = limits.Peers.MaxProtectedPerAddress,
            };
            Pipelines[i] = new CoapShardPipeline(shard, parts);
            Clocks[i] = new ShardTimerDriver(Pipelines[i].Shard);
        }

        ObserverTable[] observers = [.. Pipelines.Select(static pipeline => pipeline.Observers)];
        Routes.Notifier = new ObserverNotifier(Environment, Observers, observers);
        RestoredObservers = new ObserverRestoring(parts.Rules, Routes, Environment, State, observers);

        // The client's side, from the messages up.
        HostLookup hosts = Hosts = new HostLookup(
            new CoapNameResolver(options.Transports.ResolveHost, Environment.TimeProvider), Environment, Served.Aborted);
        RequestSender sender = new(Environment, [.. Pipelines.Select(static pipeline => pipeline.Sender)]);
        Pool = new ConnectionPool(Environment, hosts);
        Peers = new PeerEvents(face, Environment, Pipelines, Connections, Pool, sender);
        Context = new EndpointTransportContext(Environment, Pipelines, Clocks, hash, Connections, Peers, streams, webSockets, State);
        Channels = new ChannelFinder(Environment, Pipelines, Context, hash, Pool);
        Transports = new TransportSet(options, Environment, State, Groups, Routes, hosts, Context, Clocks);
        Accepted = new ExternallyAcceptedConnections(Environment, Transports, Peers);
        OutgoingRequestSteps steps = new(Environment, sender, Pool, options.TooManyRequests, options.Cache, options.QBlock, Served.Aborted);
        Requester = new Requester(Environment, Transports, hosts, Channels, steps);
        GroupRequester = new GroupRequester(Environment, Transports, hosts, Channels, steps, GroupRequests);
        Observed = new ClientObservations([.. Pipelines.Select(static pipeline => pipeline.Shard)],
            new ClientObservationContext(Environment, Transports, hosts, Channels, steps));
        ExportedObservationResumer = new ExportedObservationResumer(this, Transports, Channels, Observed);
        Diagnostics = new EndpointDiagnostics(this, options.Name, instruments, tags);
        foreach (CoapShardPipeline pipeline in Pipelines)
        {
            pipeline.Shard.Endpoint = this;
        }
    }

    public CoapEndpoint Face { get; }

    public EndpointState State { get; }

    /// <summary>The receivers of responses to stateless requests (RFC 8974 section 3).</summary>
    public StatelessReceivers Stateless { get; } = new();

    public CoapEnvironment Environment { get; }

    public RouteTable Routes { get; }

    public RunningRequestCounter Served { get; }

    /// <summary>The memory of block-wise bodies.</summary>
    public BlockwiseBudgets Bodies { get; }

    public ObserverQuota Observers { get; } = new();

    /// <summary>The observer store; null for none.</summary>
    public ICoapObserverStore? ObserverStore { get; }

    public ObserverRestoring RestoredObservers { get; }

    public GroupResponseSettings Groups { get; }

    public GroupRequests GroupRequests { get; }

    /// <summary>One for each shard.</summary>
    public CoapShardPipeline[] Pipelines { get; }

    /// <summary>One for each shard.</summary>
    public ShardTimerDriver[] Clocks { get; }

    public EndpointTransportContext Context { get; }

    public ConnectionTable Connections { get; }

    public ConnectionPool Pool { get; }

    /// <summary>The events of peers.</summary>
    public PeerEvents Peers { get; }

    public HostLookup Hosts { get; }

    public ChannelFinder Channels { get; }

    public TransportSet Transports { get; }

    public ExternallyAcceptedConnections Accepted { get; }

    public Requester Requester { get; }

    public GroupRequester GroupRequester { get; }

    /// <summary>Goes on with observations of a process before.</summary>
    public ExportedObservationResumer ExportedObservationResumer { get; }

    public ClientObservations Observed { get; }

    public EndpointDiagnostics Diagnostics { get; }

    /// <summary>Ends what peers and callers wait for: observers, requests under way, answers that wait.</summary>
    public void EndExchanges()
    {
        foreach (CoapShardPipeline pipeline in Pipelines)
        {
            pipeline.Blockwise.Stop();
            RemoveObservers(pipeline);
            FailRequests(pipeline);
            Environment.Counters.Add(CoapCounter.GroupAnswersDropped, pipeline.ExchangesOut.CloseDelayed());
        }
    }

    /// <summary>Fails the requests under way, because no response arrives any more.</summary>
    public void FailRequests()
    {
        foreach (CoapShardPipeline pipeline in Pipelines)
        {
            FailRequests(pipeline);
        }
    }

    private void FailRequests(CoapShardPipeline pipeline)
    {
        foreach (PendingRequest request in pipeline.Sender.TakeAll([.. pipeline.Channels.All(), .. Connections.Of(pipeline.Shard)]))
        {
            request.Fail(new CoapException(CoapError.EndpointStopped, "The endpoint was stopped before the response came."));
        }
    }

    void IPeerActions.OnReady(CoapChannel channel) => Peers.OnReady(channel);

    void IPeerActions.OnGone(CoapChannel channel, CoapConnectionException reason) => Peers.OnGone(channel, reason);

    void IPeerActions.Fault(CoapException error) => Face.Fault(error);

    CoapChannel IPeerActions.Current(CoapChannel channel) => Channels.Current(channel);

    Task<CoapResponse> IPeerActions.SendAsync(CoapChannel channel, CoapRequest request, CancellationToken cancellationToken) =>
        Requester.SendAsync(channel, request, cancellationToken);

    Task<CoapObservation> IPeerActions.ObserveAsync(CoapChannel channel, CoapRequest request, CoapObservationOptions? options,
        CancellationToken cancellationToken) => Observed.ObserveAsync(channel, request, options, cancellationToken);

    Task<CoapObservation> IPeerActions.ResumeObservationAsync(CoapExportedObservation kept, CoapObservationOptions? options,
        CancellationToken cancellationToken) => ExportedObservationResumer.ResumeObservationAsync(kept, options, cancellationToken);

    Task<TimeSpan> IPeerActions.PingAsync(CoapChannel channel, ClientRequestTimeLimit time, CancellationToken cancellationToken) =>
        Requester.PingAsync(channel, time, cancellationToken);

    bool IPeerActions.IsConnected(CoapChannel channel) => PeerEvents.IsConnected(channel);

    CancellationToken IPeerActions.EndOf(CoapChannel channel) => Peers.EndOf(channel);

    Task IPeerActions.ReleaseAsync(
        CoapChannel channel, HoldOffOption? holdOff, IReadOnlyList<AlternativeAddressOption> alternativeAddresses,
        CancellationToken cancellationToken) => Peers.ReleaseAsync(channel, holdOff, alternativeAddresses, cancellationToken);

    long IPeerActions.LastHeard(CoapChannel channel) => StreamState.LastHeardOf(channel);

    TimeSpan? IPeerActions.RoundTripTime(CoapChannel channel)
    {
        lock (channel.Shard.Gate)
        {
            return MessageLayer.RttOf(channel);
        }
    }

    /// <summary>Wipes its secrets.</summary>
    public void WipeSecrets()
    {
        Pipelines[0].Shard.Guard.Echo.Dispose();
        Environment.Secret?.Dispose();
    }

    private static void RemoveObservers(CoapShardPipeline pipeline)
    {
        pipeline.Shard.Enter();
        try
        {
            pipeline.Observers.RemoveAll();
        }
        finally
        {
            pipeline.Shard.ExitAndSend();
        }
    }

    private static CoapEnvironment EnvironmentOf(CoapEndpointOptions options, EndpointTelemetry telemetry)
    {
        CoapTransmissionParameters parameters = options.Parameters;
        Func<IPEndPoint, CoapTransmissionParameters?>? parametersOf = options.ParametersOf;
        CoapCounters counters = new();
        return new CoapEnvironment
        {
            Telemetry = telemetry,
            TimeProvider = options.TimeProvider,
            Random = options.Pipeline.Random,
            Secret = options.Processes.SharedSecret is { IsEmpty: false } secret
                ? new SharedSecret(secret.Span, options.Processes.PreviousSecret, options.TimeProvider)
                : null,
            Scheduler = options.Pipeline.Scheduler,
            Limits = options.Limits,
            Registry = options.Registry,
            Sources = new CoapSourceGroupingRule(options.Limits.Peers.SourcePrefixLength, options.Limits.Peers.TrustedPrefixes),
            Counters = counters,
            Logger = GuardedLogger.Guard(CategoryLogger.Make(options.LoggerFactory), counters),
            AllowsUnsecuredQBlock = options.QBlock?.AllowsUnsecured,
            IsInBrowser = options.IsInBrowser,
            Streams = options.Transports.Streams,
            ParametersOf = parametersOf is null ? _ => parameters : remote => parametersOf(remote.ToIPEndPoint()) ?? parameters,
        };
    }
}
