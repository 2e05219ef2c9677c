using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Devices;
using CoAP.NET.Dtls;
using CoAP.NET.Dtls.Transport;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>A process with a node and its server, from its start to its end.</summary>
internal sealed class SimulatedClusterNode
{
    private static readonly byte[] s_secret = [.. Enumerable.Range(1, 32).Select(i => (byte)i)];

    private readonly ClusterWorld _world;
    private readonly NodeSocket _socket;
    private readonly CoapDtlsTransport _dtls;

    /// <param name="world">Where it runs.</param>
    /// <param name="place">Which machine it runs on.</param>
    /// <param name="number">A number of its own among all processes of the run.</param>
    public SimulatedClusterNode(ClusterWorld world, int place, int number)
    {
        (_world, Place, Number) = (world, place, number);
        ClusterPlan plan = world.Plan;
        Dice dice = new((plan.Seed * 1_000_003) + (ulong)number);
        int spread = (plan.ClockSpread * 1000) + 1;
        Time = new NodeTime(world.Clock, TimeSpan.FromMilliseconds(dice.Between(0, spread) - (spread / 2)),
            plan.ClockDrift == 0 ? 0 : dice.Between(-plan.ClockDrift, plan.ClockDrift));
        Scheduler = new NodeScheduler(Time);
        Store = new NodeStore(world.Watch(world.Memory.Open()), world.StoreFaults, Time, world.Clock, new Dice(dice.Next()));
        CoapClusterOptions options = new()
        {
            Secrets = [s_secret],
        };
        options.Devices.NameOf = peer => (peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity;
        Cluster = world.Hub.Make(Store, options, Time, new VirtualRandom(dice.Next()), world.LogsOf(this), Address);
        ((ClusterDevices)Cluster.Devices).Router = new NodeDevices(world, this);
        CoapDtlsServerOptions dtls = new() { PskStore = world.Keys };
        CoapEndpointOptions endpoint = new()
        {
            TimeProvider = Time,
            Pipeline = { Scheduler = Scheduler, Random = new VirtualRandom(dice.Next()) },
            LoggerFactory = world.LogsOf(this),
        };
        Server = new CoapServer(Cluster.KeepState(endpoint));
        _socket = new NodeSocket(world.Network.CreateHost(Address), Time);
        _dtls = CoapDtlsTransport.Over(_socket, new CoapDtlsOptions { Server = Cluster.KeepState(dtls) });
        Server.Endpoint.AddTransport(_dtls);
        Map();
        Cluster.Attach(Server);
    }

    public int Place { get; }

    public int Number { get; }

    public NodeTime Time { get; }

    public NodeScheduler Scheduler { get; }

    public NodeStore Store { get; }

    public CoapCluster Cluster { get; }

    public CoapServer Server { get; }

    /// <summary>Where its server listens.</summary>
    public CoapAddress Address => AddressOf(Place);

    /// <summary>When it could last have lost what it knew, as a process that dies, sleeps, or whose slots others took.</summary>
    public TimeSpan LastFailure { get; set; } = TimeSpan.MinValue;

    /// <summary>Until when it may not have heard that others have taken its slots.</summary>
    public TimeSpan InDoubtUntil { get; set; } = TimeSpan.MinValue;

    /// <summary>Whether others may have taken its slots without its having heard of it.</summary>
    public bool IsInDoubt => Store.IsCut || _world.StoreFaults.IsAway || _world.Clock.Elapsed < InDoubtUntil;

    /// <summary>Whether it hands over and stops.</summary>
    public bool IsLeaving { get; private set; }

    /// <summary>Its start, and then its end.</summary>
    public Task Doing { get; private set; } = Task.CompletedTask;

    public static CoapAddress AddressOf(int place) => InMemoryNetwork.Address($"10.0.0.{place + 1}:5684");

    public void Start() => Doing = StartAsync();

    /// <summary>Hands over and stops.</summary>
    public void Leave()
    {
        IsLeaving = true;
        Doing = LeaveAsync(Doing);
    }

    /// <summary>Ends without a word.</summary>
    public void Kill()
    {
        LastFailure = _world.Clock.Elapsed;
        Time.Kill();
        _ = _socket.DisposeAsync().AsTask();
    }

    public void Sleep()
    {
        LastFailure = _world.Clock.Elapsed;
        Time.Sleep();
    }

    public void Wake()
    {
        if (Time.IsAsleep && !Time.IsDead)
        {
            LastFailure = _world.Clock.Elapsed;
            _socket.Open();
            Time.Wake();
        }
    }

    /// <summary>Where that is planted, a session is not in doubt.</summary>
    public void EndDoubt(string cid) => NoDoubts.End(_dtls, cid);

    public override string ToString() => $"n{Number}@{Place}";

    private async Task StartAsync()
    {
        await Cluster.StartAsync();
        await Server.StartAsync();
    }

    private async Task LeaveAsync(Task starting)
    {
        await starting;
        await Cluster.LeaveAsync();
        if (Cluster.Map.SlotsOf(Cluster.Self.Id).Any())
        {
            // What was not handed over in time is taken as after a crash.
            LastFailure = _world.Clock.Elapsed;
        }

        _world.Journal.Note($"{this} has handed over");
        await Server.DisposeAsync();
        await Cluster.DisposeAsync();
        _world.OnLeft(this);
    }

    private void Map()
    {
        Server.MapGet("/who", (CoapRequestContext request) => CoapResults.Text(NameFor(request)));
        Server.MapGet("/state/{id}", (CoapRequestContext request) => _world.StateFor(request)).Observable();
        Server.MapPost("/count", async (CoapRequestContext request, CancellationToken cancellationToken) =>
        {
            (int id, int wait) = ClusterRequests.Parse(request);
            _world.Requests.OnRun(id, this, NameOf(request));
            if (_world.Has(ClusterPlants.Twice) && id % 4 == 0)
            {
                _world.Requests.OnRun(id, this, NameOf(request));
            }

            if (wait > 0)
            {
                await Task.Delay(TimeSpan.FromMilliseconds(wait), Time, cancellationToken);
            }

            return CoapResults.Text($"{id}");
        });
    }

    private string NameFor(CoapRequestContext request) => _world.Has(ClusterPlants.OtherName) ? "device-0" : NameOf(request);

    private string NameOf(CoapRequestContext request)
    {
        string name = (request.Peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity ?? "nobody";
        _world.Devices.FirstOrDefault(device => device.Name == name)?.ServedBy = this;
        return name;
    }
}
