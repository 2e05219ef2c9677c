using CoAP.NET.Diagnostics;
using CoAP.NET.QBlock;
using CoAP.NET.Testing.Network;

namespace CoAP.NET.Simulation.Simulate;

/// <summary>An endpoint of a run, through all its restarts.</summary>
internal sealed class SimulatedNode
{
    private static readonly TimeSpan s_closing = TimeSpan.FromSeconds(20);

    private readonly SimulatedWorld _world;
    private CoapServer? _server;
    private CoapClient? _client;
    private InMemoryTransport? _transport;

    public SimulatedNode(SimulatedWorld world, NodePlan plan)
    {
        _world = world;
        Plan = plan;
        Address = InMemoryNetwork.Address($"[2001:db8::{plan.Index + 1:x}]:{(plan.Serves ? 5683 : 49_152 + plan.Index)}");
    }

    public NodePlan Plan { get; }

    public CoapAddress Address { get; }

    /// <summary>The beginning of its URIs.</summary>
    public string Uri => $"coap://{Address}";

    public CoapEndpoint Endpoint => _server?.Endpoint ?? _client!.Endpoint;

    public BufferWatch Buffers { get; private set; } = new();

    /// <summary>How many times it was started.</summary>
    public int Starts { get; private set; }

    /// <summary>When it last lost its state or got another address.</summary>
    public TimeSpan LastUpset { get; private set; } = TimeSpan.FromDays(-1);

    /// <summary>Whether it ever had to forget what it needs to tell repeated requests from new ones.</summary>
    public bool HasForgotten { get; private set; }

    public void Start()
    {
        CoapEndpointOptions options = MakeOptions();
        Buffers = new BufferWatch();
        _world.Plant?.Configure(this, options);
        Buffers.WatchOver(options.Pipeline);
        _transport = _world.Network.CreateHost(Address);
        if (Plan.Serves)
        {
            _server = new CoapServer(options);
            MapRoutes(_server);
        }
        else
        {
            _client = new CoapClient(options);
        }

        Endpoint.AddTransport(_transport);
        Task start = _server?.StartAsync() ?? Endpoint.StartAsync();
        if (!start.IsCompletedSuccessfully)
        {
            throw new InvalidOperationException($"Node {Plan.Index} did not start at once.", start.Exception);
        }

        Starts++;
    }

    /// <summary>Loses all it knows and is down for a while.</summary>
    public void Restart(TimeSpan downtime)
    {
        _world.Network.Restart(_transport!.PublicAddress, downtime);
        Upset();
        Close();
        Start();
        if (downtime > TimeSpan.Zero && _transport.PublicAddress != Address)
        {
            _world.Network.Restart(Address, downtime);
        }
    }

    /// <summary>Others see it at another port from now on.</summary>
    public void Rebind(int port)
    {
        CoapAddress next = Address with { Port = (ushort)port };
        if (_transport!.PublicAddress != next)
        {
            Upset();
            _world.Network.Rebind(_transport.PublicAddress, next);
        }
    }

    public void RebindBack() => Rebind(Address.Port);

    public void Close()
    {
        NoteForgetting();
        _world.IsClosing = true;
        try
        {
            // Nothing of this waits for virtual time, and nothing else runs meanwhile.
            if (!Endpoint.DisposeAsync().AsTask().Wait(s_closing))
            {
                throw new TimeoutException($"Node {Plan.Index} did not close.");
            }
        }
        finally
        {
            _world.IsClosing = false;
        }
    }

    public void NoteForgetting() =>
        HasForgotten |= Endpoint.Counters[CoapCounter.UnsafeDeduplicationEvictions] + Endpoint.Counters[CoapCounter.ChannelEvictions]
            + Endpoint.Counters[CoapCounter.BodiesEvicted] > 0;

    private void Upset() => LastUpset = _world.Clock.Elapsed;

    private CoapEndpointOptions MakeOptions()
    {
        CoapEndpointOptions options = new()
        {
            TimeProvider = _world.Clock,
            Pipeline =
            {
                Scheduler = _world.Scheduler,
                Random = new VirtualRandom((_world.Scenario.Seed * 1_000_003) + ((ulong)Plan.Index * 1009) + (ulong)Starts),
            },
            LoggerFactory = _world.Log,
            Transports = { Shards = Plan.Shards },
            Parameters = new CoapTransmissionParameters
            {
                NStart = Plan.NStart,
                ProbingRate = Plan.ProbesFreely ? double.PositiveInfinity : 1,
                MaxRetransmit = Plan.MaxRetransmit,
                PreferredBlockSize = Plan.BlockSize,
                MaxQueuedRequests = Plan.MaxQueuedRequests,
                RetransmissionTiming = Plan.Timing,
            },
        };
        options.UseQBlock(Plan.QBlock);
        CoapLimits limits = options.Limits;
        limits.Peers.IdleLifetime = TimeSpan.FromMinutes(10);
        limits.Peers.VerificationLifetime = TimeSpan.FromMinutes(15);
        Set(Plan.MaxRequestsServed, value => limits.Requests.MaxServed = value);
        Set(Plan.MaxOutstandingMessages, value => limits.Messages.MaxOutstanding = value);
        Set(Plan.MaxObservers, value => limits.Observe.MaxObservers = value);
        Set(Plan.MaxObservations, value => limits.Observe.MaxObservations = value);
        Set(Plan.MaxChannels, value => limits.Peers.MaxCount = value);
        Set(Plan.NewcomerBytes, value => limits.Peers.NewcomerMemory = value);
        Set(Plan.DeduplicationBytes, value => limits.Deduplication.Memory = value);
        Set(Plan.MaxAssemblyBytes, value => limits.Blockwise.RequestMemory = value);
        Set(Plan.MaxRepresentationBytes, value => limits.Blockwise.ResponseMemory = Math.Max(0, value));
        return options;
    }

    private static void Set(int value, Action<int> set)
    {
        if (value != 0)
        {
            set(value);
        }
    }

    private static readonly CoapMethod[] s_methods = [CoapMethod.Get, CoapMethod.Post, CoapMethod.Put, CoapMethod.Delete, CoapMethod.Fetch,
        CoapMethod.Patch, CoapMethod.IPatch];

    private readonly Dictionary<int, int> _runs = [];
    private readonly int[] _values = new int[2];
    private int _limited;

    /// <summary>How many times the handler of each request that is not idempotent ran.</summary>
    public IReadOnlyDictionary<int, int> Runs => _runs;

    public static string PathOf(SimulatedRoute route) => route switch
    {
        SimulatedRoute.Plain => "/plain",
        SimulatedRoute.Queued => "/queued",
        SimulatedRoute.Serial => "/serial",
        SimulatedRoute.Fresh => "/fresh",
        SimulatedRoute.Limited => "/limited",
        SimulatedRoute.Forward => "/forward",
        SimulatedRoute.State => "/state",
        _ => "/large-state",
    };

    /// <summary>The newest value of an observable resource; it lasts through restarts.</summary>
    public int ValueOf(SimulatedRoute route) => _values[route - SimulatedRoute.State];

    public void Change(SimulatedRoute route)
    {
        _values[route - SimulatedRoute.State]++;
        _server?.Notify(PathOf(route));
    }

    private void MapRoutes(CoapServer server)
    {
        server.Map(PathOf(SimulatedRoute.Plain), s_methods, ServeAsync);
        server.Map(PathOf(SimulatedRoute.Queued), s_methods, ServeAsync).WithExecution(queued: 1, capacity: 2);
        server.Map(PathOf(SimulatedRoute.Serial), s_methods, ServeAsync).WithExecution(CoapExecution.Serial(2));
        server.Map(PathOf(SimulatedRoute.Fresh), s_methods, ServeAsync).RequireFreshness(TimeSpan.FromSeconds(30));
        server.Map(PathOf(SimulatedRoute.Limited), s_methods, ServeAsync)
            .RequireRateLimiting(_ => _limited++ % 2 == 0 ? TimeSpan.FromSeconds(1 + (_limited % 5)) : null);
        if (Plan.ForwardsTo >= 0)
        {
            server.Map(PathOf(SimulatedRoute.Forward), s_methods, ForwardAsync);
        }

        foreach (SimulatedRoute route in new[] { SimulatedRoute.State, SimulatedRoute.LargeState })
        {
            server.MapGet(PathOf(route), request => Show(request, route))
                .Observable(observe =>
                {
                    observe.MaxAge = TimeSpan.FromSeconds(Plan.MaxAge);
                    observe.Confirmable = !Plan.NotifiesNonConfirmable;
                });
        }
    }

    private CoapResult Show(CoapRequestContext request, SimulatedRoute route)
    {
        _world.CheckThread();
        int value = _world.Plant?.Show(this, route, request) ?? ValueOf(route);
        return new CoapResult(CoapCode.Content, Answers.State(value, Plan.Index, route == SimulatedRoute.LargeState))
            .WithETag(CoapETag.FromVersion((ulong)value + 1));
    }

    private ValueTask<CoapResult> ServeAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
        Enter(request) is not { } asked ? new(new CoapResult(CoapCode.BadRequest))
        : _world.Plant is { } plant ? plant.ServeAsync(this, asked, () => AnswerAsync(request, asked, cancellationToken))
        : AnswerAsync(request, asked, cancellationToken);

    private async ValueTask<CoapResult> AnswerAsync(CoapRequestContext request, Step asked, CancellationToken cancellationToken)
    {
        _world.CheckThread();
        if (asked.HandlerTime > 0)
        {
            await _world.DelayAsync(TimeSpan.FromMilliseconds(asked.HandlerTime), cancellationToken);
            _world.CheckThread();
        }

        switch (asked.Failure)
        {
            case HandlerFailure.Throws:
            case HandlerFailure.Cancels:
                throw new PlannedException();
            case HandlerFailure.ReturnsNull:
                return null!;
            default:
                CoapCode code = request.Method switch
                {
                    CoapMethod.Get or CoapMethod.Fetch => CoapCode.Content,
                    CoapMethod.Delete => CoapCode.Deleted,
                    _ => CoapCode.Changed,
                };
                return new CoapResult(code, Answers.Download(asked.Id, Plan.Index, asked.Download));
        }
    }

    private async ValueTask<CoapResult> ForwardAsync(CoapRequestContext request, CancellationToken cancellationToken)
    {
        if (Enter(request) is not { } asked)
        {
            return new CoapResult(CoapCode.BadRequest);
        }

        CoapRequest next = new(request.Method, $"{_world.Nodes[Plan.ForwardsTo].Uri}{PathOf(SimulatedRoute.Plain)}?{Answers.Query(asked)}")
        {
            Confirmable = request.Confirmable,
            Timeout = LongestTimes.Forwarding,
            Content = asked.Upload > 0 ? CoapContent.Binary(request.Payload) : null,
        };
        if (request.Method == CoapMethod.Fetch && asked.Upload == 0)
        {
            next.Content = CoapContent.Binary(ReadOnlyMemory<byte>.Empty);
        }

        try
        {
            CoapResponse response = await Endpoint.SendAsync(next, cancellationToken);
            _world.CheckThread();

            // 4.08 and 4.13 say that the request was not carried out for want of blocks, which is true of the next hop only: whoever is
            // told so sends everything again.
            return response.Code == CoapCode.RequestEntityIncomplete || response.Code == CoapCode.RequestEntityTooLarge
                ? new CoapResult(CoapCode.BadGateway)
                : new CoapResult(response.Code, response.Payload);
        }
        catch (CoapTimeoutException)
        {
            _world.CheckThread();
            return new CoapResult(CoapCode.GatewayTimeout);
        }
        catch (CoapException)
        {
            return new CoapResult(CoapCode.BadGateway);
        }
    }

    private Step? Enter(CoapRequestContext request)
    {
        _world.CheckThread();
        _world.CheckBounds(this);
        if (Answers.Read(request) is not { } asked)
        {
            return null;
        }

        _world.Note(Plan.Index, "serves", asked.Id, request.Method);
        if (request.Method != asked.Method)
        {
            // Before a body goes by Q-Block1 the client asks by a GET whether the server knows the option (RFC 9177 section 4.1).
            return asked with { Failure = HandlerFailure.None };
        }

        if (request.Method is CoapMethod.Post or CoapMethod.Patch)
        {
            _runs[asked.Id] = _runs.GetValueOrDefault(asked.Id) + 1;
        }

        if (asked.Upload > 0 && !_world.Scenario.Corrupts && !request.Payload.Span.SequenceEqual(Answers.Upload(asked.Id, asked.Upload)))
        {
            _world.Violate(CheckKind.Bodies,
                $"the body of request {asked.Id} came as {request.Payload.Length} B that are not the {asked.Upload} B that were sent",
                Plan.Index);
        }

        return asked;
    }
}
