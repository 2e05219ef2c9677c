using CoAP.NET.Testing;
using CoAP.NET.Transports;

namespace CoAP.NET.Simulation.Simulate;

/// <summary>An endpoint of a run, through all its restarts.</summary>
internal sealed partial class SimulatedNode
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
        _transport = _world.Network.CreateTransport(Address);
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
            Scheduler = _world.Scheduler,
            Random = new VirtualRandom((_world.Scenario.Seed * 1_000_003) + ((ulong)Plan.Index * 1009) + (ulong)Starts),
            LoggerFactory = _world.Log,
            Shards = Plan.Shards,
            QBlock = Plan.QBlock,
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
        CoapLimits limits = options.Limits;
        limits.IdlePeerLifetime = TimeSpan.FromMinutes(10);
        limits.AddressVerificationLifetime = TimeSpan.FromMinutes(15);
        Set(Plan.MaxRequestsServed, value => limits.MaxRequestsServed = value);
        Set(Plan.MaxOutstandingMessages, value => limits.MaxOutstandingMessages = value);
        Set(Plan.MaxObservers, value => limits.MaxObservers = value);
        Set(Plan.MaxObservations, value => limits.MaxObservations = value);
        Set(Plan.MaxChannels, value => limits.MaxChannels = value);
        Set(Plan.NewcomerBytes, value => limits.NewcomerBytes = value);
        Set(Plan.DeduplicationBytes, value => limits.DeduplicationBytes = value);
        Set(Plan.MaxAssemblyBytes, value => limits.MaxAssemblyBytes = value);
        Set(Plan.MaxRepresentationBytes, value => limits.MaxRepresentationBytes = Math.Max(0, value));
        return options;
    }

    private static void Set(int value, Action<int> set)
    {
        if (value != 0)
        {
            set(value);
        }
    }
}
