using System.Net;
using CoAP.NET.Blockwise;
using CoAP.NET.Channels;
using CoAP.NET.Connecting;
using CoAP.NET.Exchanges;
using CoAP.NET.Messaging;
using CoAP.NET.Observing;
using CoAP.NET.Pipeline;
using CoAP.NET.Requests;
using CoAP.NET.Resources;
using CoAP.NET.Serialization;
using CoAP.NET.Shard;
using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>
/// One end of CoAP: transports, shards and pipelines. It can serve and request at the same time, over the same sockets. <see cref="CoapClient"/> and
/// <see cref="CoapServer"/> are thin faces on it. Thread-safe once started.
/// </summary>
public sealed partial class CoapEndpoint : ICoapObserver, IAsyncDisposable
{
    // Requests are over by then; only a linked block that holds items may keep a pipeline from completing.
    private static readonly TimeSpan s_longestCompletion = TimeSpan.FromSeconds(5);

    // Handlers that were cancelled get this long to come to the end of their synchronous part.
    private static readonly TimeSpan s_longestSettling = TimeSpan.FromSeconds(1);

    private readonly CoapUdpEngine _udpEngine;
    private readonly TimeSpan _gracePeriod;
    private readonly HostLookup _hosts;
    private readonly CoapEnvironment _environment;
    private readonly EndpointState _state;
    private readonly AddressHash _hash;
    private readonly TargetTable _targets = new();
    private readonly ConnectionTable _connections;
    private readonly CoapPipeline[] _pipelines;
    private readonly ShardClock[] _clocks;
    private readonly EndpointContext _context;
    private readonly List<CoapTransport> _transports = [];
    private readonly SemaphoreSlim _lifecycle = new(1, 1);
    private readonly CancellationTokenSource _cutGrace = new();
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly RequestSender _sender;
    private readonly RequestChain _chain;
    private readonly BlockwiseStep _blockwiseStep;
    private readonly TokenStep _tokenStep;
    private readonly CacheStep? _cacheStep;
    private CoapTransport[] _started = [];
    private bool _isStarted;

    /// <summary>Makes an endpoint without transports.</summary>
    /// <param name="options">How it works; default: all defaults.</param>
    public CoapEndpoint(CoapEndpointOptions? options = null)
    {
        options ??= new CoapEndpointOptions();
        _udpEngine = options.UdpEngine;
        _tcpEngine = options.TcpEngine;
        _tls = options.Tls;
        _factories = [.. options.TransportFactories];
        _webSockets = options.WebSockets.Clone();
        _gracePeriod = options.StopGracePeriod;
        _state = new EndpointState { AnswersWhileStopping = options.AnswerWhileStopping };
        CoapTransmissionParameters parameters = options.Parameters;
        Func<CoapAddress, CoapTransmissionParameters?>? parametersOf = options.ParametersOf;
        CoapInstruments instruments = CoapInstruments.Of(options.MeterFactory);
        KeyValuePair<string, object?>[] tags = [.. options.Name is { } name ? [new(TelemetryTags.Endpoint, name)] : Array.Empty<KeyValuePair<string, object?>>(), .. options.TelemetryTags];
        _name = options.Name;
        CoapCounters counters = new();
        _environment = new CoapEnvironment
        {
            Telemetry = new EndpointTelemetry(instruments, options.TimeProvider, tags) { ContextOption = options.TraceContextOption ?? 0 },
            TimeProvider = options.TimeProvider,
            Random = options.Random,
            Scheduler = options.Scheduler,
            HandlerThreads = options.Scheduler is CoapThreads ? new HandlerThreads(options.Scheduler) : null,
            Limits = options.Limits.Clone(),
            Sources = new SourceRule(options.Limits.SourcePrefixLength, options.TrustedPrefixes),
            Counters = counters,
            Logger = GuardedLogger.Guard(options.LoggerFactory.CreateLogger("CoAP.NET"), counters),
            QBlock = options.QBlock,
            Streams = options.Streams.Clone(),
            ParametersOf = parametersOf is null ? _ => parameters : remote => parametersOf(remote) ?? parameters,
        };
        _hash = new AddressHash(_environment.Random);
        Served = new ServedRequests(_environment.Limits.MaxRequestsServed, options.Shards);
        _hosts = new HostLookup(options.ResolveHost, _environment, Served.Aborted);
        Routes = options.Routes?.Take() ?? new RouteTable();
        Bodies = new BodyMemory(_environment.Limits);
        CoapLimits limits = _environment.Limits;
        CoapDatagramSerializer serializer = new(new CoapSerializerOptions { Registry = options.Registry, MaxOptions = limits.MaxOptions, MaxTokenLength = limits.MaxTokenLength });
        CoapSerializerOptions onConnections = new()
        {
            Registry = options.Registry,
            MaxOptions = limits.MaxOptions,
            MaxMessageSize = limits.MaxStreamMessageSize,
            MaxTokenLength = limits.MaxTokenLength,
        };
        CoapStreamSerializer streams = new(onConnections);
        CoapWebSocketSerializer webSockets = new(onConnections);
        _connections = new ConnectionTable(limits, _environment.Sources);
        _groups = new GroupSettings(Math.Max(1, limits.MaxDelayedGroupAnswers / options.Shards), serializer.GetSize);
        _groupRequests = new GroupRequests(_environment.Random, limits.MaxGroupRequests);
        options.Pipeline.Take();
        PipelineParts parts = new()
        {
            Options = options.Pipeline,
            ShardCount = options.Shards,
            Hash = _hash,
            Connections = _connections,
            StreamSerializer = streams,
            WebSocketSerializer = webSockets,
            Serializer = serializer,
            Groups = _groups,
            GroupRequests = _groupRequests,
            GroupMessageIds = new GroupMessageIds(_environment.Random),
            Buffers = new CoapDatagramPool(limits.MaxDatagramSize),
            State = _state,
            Routes = Routes,
            Served = Served,
            Bodies = Bodies,
            Observers = Observers,
        };
        AddressGuard guard = new(_environment);
        _pipelines = new CoapPipeline[options.Shards];
        _clocks = new ShardClock[options.Shards];
        for (int i = 0; i < _pipelines.Length; i++)
        {
            _pipelines[i] = new CoapPipeline(new CoapShard(i, _environment) { Endpoint = this, Guard = guard }, parts);
            _clocks[i] = new ShardClock(_pipelines[i].Shard);
        }

        Routes.Changes = new ChangeNotice(_environment, Observers, [.. _pipelines.Select(pipeline => pipeline.Observers)]);
        _context = new EndpointContext(_environment, _pipelines, _clocks, _hash, _connections, streams, webSockets, _state);
        _cacheStep = options.Cache is null ? null : new CacheStep(_environment, options.Cache);
        _blockwiseStep = new BlockwiseStep(_environment);
        _tokenStep = new TokenStep(_environment);
        _pool = new ConnectionPool(_environment, _signals, FindAlternativeAsync);
        _connectionStep = new ConnectionStep(_environment, _pool, _signals);
        _sender = new RequestSender(_environment, _pipelines);
        List<RequestStep> steps = [_connectionStep, new PatienceStep(_environment, options.Patience, Served.Aborted), _blockwiseStep, new EchoStep(), _tokenStep];
        if (options.QBlock != CoapQBlock.Off)
        {
            steps.Insert(steps.IndexOf(_blockwiseStep), new QBlockStep(_environment, new ObservationPort(this)));
        }

        if (_cacheStep is not null)
        {
            // What is stored needs no connection.
            steps.Insert(0, _cacheStep);
        }

        _chain = new RequestChain(_sender, [.. steps]);
        Observed = new ClientObservations([.. _pipelines.Select(static pipeline => pipeline.Shard)], new ObservationPort(this));
        _telemetrySource = new TelemetrySource(_environment.Counters, tags, ReadGauge);
        instruments.Add(_telemetrySource);
        _instruments = instruments;
    }

    /// <summary>What happened so far, in numbers.</summary>
    public CoapCounters Counters => _environment.Counters;

    /// <summary>The addresses that it listens on, as URIs such as <c>coap://[::1]:5683</c>; empty before it was started.</summary>
    public IReadOnlyList<string> LocalEndpoints =>
        [.. _started.Where(_listening.Contains).SelectMany(transport => transport.LocalAddresses.Select(address => $"{transport.Scheme}://{address}"))];

    /// <summary>Ends when the endpoint was stopped; with an exception when it had to give up, such as for a block of the user that faulted.</summary>
    public Task Completion => _completion.Task;

    internal RouteTable Routes { get; }

    internal bool HasTransports => _listening.Count > 0 || _unresolved.Count > 0 || _expectsConnections;
    internal ObserverPlaces Observers { get; } = new();

    internal ServedRequests Served { get; }

    internal ClientObservations Observed { get; }

    internal IReadOnlyList<CoapPipeline> Pipelines => _pipelines;

    internal BodyMemory Bodies { get; }

    internal CoapEnvironment Environment => _environment;

    /// <summary>Starts all transports. After a start that failed, such as for a port in use, it may be called again and starts those that are left.</summary>
    /// <param name="cancellationToken">Stops the start.</param>
    /// <returns>A task that ends when all addresses are bound.</returns>
    /// <exception cref="CoapException">An address cannot be bound.</exception>
    /// <exception cref="InvalidOperationException">It was stopped already.</exception>
    public async Task StartAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfStopping();
        await _lifecycle.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ThrowIfStopping();
            _isStarted = true;
            await MakeListenersAsync(cancellationToken).ConfigureAwait(false);
            SettleSecurity();
            foreach (CoapTransport transport in _transports.Except(_started).ToArray())
            {
                await StartTransportAsync(transport, cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            _lifecycle.Release();
        }
    }

    // Also before the lock, which a stop holds for the grace period.
    private void ThrowIfStopping()
    {
        if (_state.IsStopping)
        {
            throw new InvalidOperationException("An endpoint starts once. Make a new one instead of starting a stopped one.");
        }
    }

    /// <summary>
    /// Stops: goes on receiving for the grace period while new requests are answered 5.03 and running ones are finished; then cancels the handlers that still run and answers their requests 5.03
    /// with Max-Age, releases connections (RFC 8323 section 5.5), for at most <see cref="CoapStreamOptions.ReleaseTimeout"/> of what is left of the period, closes the sockets and fails what still
    /// waits. May be called from inside a handler.
    /// </summary>
    /// <param name="cancellationToken">Ends the grace period early, also that of another call.</param>
    /// <returns>A task that ends when everything is closed.</returns>
    public async Task StopAsync(CancellationToken cancellationToken = default)
    {
        _state.BeginStop();
        _pool.Stop();
        using CancellationTokenRegistration cuts = cancellationToken.UnsafeRegister(static cut => ((CancellationTokenSource)cut!).Cancel(), _cutGrace);
        await _lifecycle.WaitAsync(CancellationToken.None).ConfigureAwait(false);
        try
        {
            if (_state.IsStopped)
            {
                return;
            }

            Served.Stop();
            long started = _environment.Now;
            Task idle = Served.WhenIdleAsync();
            try
            {
                await idle.WaitAsync(_gracePeriod, _environment.TimeProvider, _cutGrace.Token).ConfigureAwait(false);
            }
            catch (Exception exception) when (exception is TimeoutException or OperationCanceledException)
            {
                Log.GraceEnded(_environment.Logger, Served.Count);
            }

            CancelHandlers();
            await SettleAsync().ConfigureAwait(false);
            await ReleaseConnectionsAsync(started).ConfigureAwait(false);
            await CloseAsync().ConfigureAwait(false);
            _completion.TrySetResult();
        }
        finally
        {
            _lifecycle.Release();
        }
    }

    /// <summary>Starts, runs until it is cancelled, and stops.</summary>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>A task that ends when it is stopped.</returns>
    /// <exception cref="CoapException">An address cannot be bound, or a block that was linked into the pipeline ended.</exception>
    public async Task RunAsync(CancellationToken cancellationToken = default)
    {
        await StartAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            await Completion.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            await StopAsync(CancellationToken.None).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Stops without a grace period; a stop that is under way waits no longer either. Handlers that run are cancelled, and their requests answered 5.03 with Max-Age
    /// (<see cref="CoapLimits.BusyMaxAge"/>), before the sockets close. Connections are closed without waiting for the peer. Call <see cref="StopAsync"/> before to let requests finish.
    /// </summary>
    /// <returns>A task that ends when everything is closed.</returns>
    public async ValueTask DisposeAsync()
    {
        await _cutGrace.CancelAsync().ConfigureAwait(false);
        await StopAsync(CancellationToken.None).ConfigureAwait(false);
    }

    // While answers still leave: who asked is told 5.03 and when to come again, instead of waiting for what will never come.
    private void CancelHandlers()
    {
        try
        {
            Served.Abort();
        }
        catch (AggregateException exception)
        {
            ReportClosing(exception);
        }

        foreach (CoapPipeline pipeline in _pipelines)
        {
            pipeline.Resource.RefuseUnanswered();
        }
    }

    // A handler in its synchronous part is refused when it first awaits or returns: sockets that close before would leave its client without an answer.
    private async Task SettleAsync()
    {
        try
        {
            await Served.WhenAnsweredAsync().WaitAsync(s_longestSettling, _environment.TimeProvider).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // It computes or blocks for longer than anybody waits.
        }
    }

    // What faulted the endpoint was told when it did.
    private void ReportClosing(Exception exception)
    {
        if (_completion.Task.Exception is not { } fault || RootOf(fault) != RootOf(exception))
        {
            Counters.Add(CoapCounter.StageErrors);
            Log.ClosingFailed(_environment.Logger, exception);
        }

        static Exception RootOf(Exception thrown) => thrown.InnerException is { } inner ? RootOf(inner) : thrown;
    }

    private async Task CloseAsync()
    {
        _state.EndGrace();
        Observed.Stop();
        foreach (CoapPipeline pipeline in _pipelines)
        {
            pipeline.Blockwise.Answering.Stop();
            pipeline.Observers.RemoveAll();
            foreach (PendingRequest request in pipeline.Sender.TakeAll([.. pipeline.Channels.All(), .. _connections.Of(pipeline.Shard)]))
            {
                request.Fail(new CoapException("The endpoint was stopped before the response came."));
            }

            _environment.Counters.Add(CoapCounter.GroupAnswersDropped, pipeline.ExchangesOut.Delayed.Close());
        }

        _groupRequests.EndAll(static () => new CoapException("The endpoint was stopped while it waited for the answers of a group."));

        CloseConnections();

        // Those whose start failed, and those that were never started, too.
        foreach (CoapTransport transport in _transports)
        {
            try
            {
                await transport.DisposeAsync().ConfigureAwait(false);
            }
#pragma warning disable CA1031 // a transport of a user that fails to close must not keep the rest from closing
            catch (Exception exception)
#pragma warning restore CA1031
            {
                ReportClosing(exception);
            }
        }

        foreach (ShardClock clock in _clocks)
        {
            clock.Dispose();
        }

        _instruments.Remove(_telemetrySource);

        foreach (CoapPipeline pipeline in _pipelines)
        {
            try
            {
                await pipeline.CompleteAsync().WaitAsync(_gracePeriod < s_longestCompletion ? _gracePeriod : s_longestCompletion, _environment.TimeProvider).ConfigureAwait(false);
            }
            catch (TimeoutException)
            {
                Log.PipelineDidNotComplete(_environment.Logger, pipeline.Shard.Index);
                pipeline.Abandon();
            }
#pragma warning disable CA1031 // a block of a user that ends with an error must not keep the endpoint from closing
            catch (Exception exception)
#pragma warning restore CA1031
            {
                ReportClosing(exception);
            }
        }
    }

    internal void Fault(Exception exception)
    {
        if (_completion.TrySetException(exception))
        {
            Log.EndpointFaulted(_environment.Logger, exception);
            _ = Completion.Exception;
            _environment.Scheduler.TryQueue(static state => _ = ((CoapEndpoint)state!).DisposeAsync().AsTask(), this, _environment.Counters, _environment.Logger);
        }
    }
}
