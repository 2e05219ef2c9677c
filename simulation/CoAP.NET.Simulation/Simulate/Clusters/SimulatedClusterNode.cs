using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Devices;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Dtls;
using CoAP.NET.Dtls.Transport;
using CoAP.NET.Oscore;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>A process with a node and its server, from its start to its end.</summary>
internal sealed class SimulatedClusterNode
{
    // How long the file of keys of a node lags behind.
    private const int MaxNewsDelay = 2000;

    // A little longer than CoapDtlsOptions.HandshakeTimeout.
    private static readonly TimeSpan s_handshake = TimeSpan.FromSeconds(31);
    private static readonly byte[] s_secret = [.. Enumerable.Range(1, 32).Select(i => (byte)i)];

    private readonly ClusterWorld _world;
    private readonly NodeSocket _socket;
    private readonly CoapDtlsTransport _dtls;
    private readonly CoapPskDictionary _keys = [];
    private readonly HashSet<string> _withdrawn = new(StringComparer.Ordinal);
    private readonly TimeSpan _newsDelay;
    private readonly List<ITimer> _timers = [];

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
        if (plan.Mixed > 0)
        {
            options.NewestRecordFormat = IsOldVersion ? RecordFormat.Oldest : (byte)(RecordFormat.Oldest + 1);
        }

        options.Devices.NameOf = peer => (peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity;
        Cluster = world.Hub.Make(Store, options, Time, new VirtualRandom(dice.Next()), world.LogsOf(this), Address);
        ((ClusterDevices)Cluster.Devices).Router = new NodeDevices(world, this);
        _newsDelay = TimeSpan.FromMilliseconds(dice.Between(0, MaxNewsDelay));
        foreach (SimulatedDevice device in world.Devices)
        {
            SetKey(device.Name, world.Withdrawals.KeyOf(device));
            if (world.Withdrawals.IsWithdrawn(device))
            {
                _withdrawn.Add(device.Name);
            }
        }

        CoapDtlsServerOptions dtls = new() { PskStore = _keys };
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

    /// <summary>The OSCORE contexts that it has open.</summary>
    public Dictionary<int, OscoreContext> Contexts { get; } = [];

    /// <summary>Whether it is of the version before, where versions are mixed.</summary>
    public bool IsOldVersion => _world.Plan.Mixed > 0 && Number % 2 == 1;

    /// <summary>Where its server listens.</summary>
    public CoapAddress Address => AddressOf(Place);

    /// <summary>When it could last have lost what it knew, as a process that dies, sleeps, or whose slots others took.</summary>
    public TimeSpan LastFailure { get; set; } = TimeSpan.MinValue;

    /// <summary>Until when it may not have heard that others have taken its slots.</summary>
    public TimeSpan InDoubtUntil { get; set; } = TimeSpan.MinValue;

    /// <summary>Whether others may have taken its slots without its having heard of it.</summary>
    public bool IsInDoubt => Store.IsCut || _world.StoreFaults.IsAway || _world.StoreFaults.Refuses is not null
        || _world.Clock.Elapsed < InDoubtUntil;

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

    /// <summary>Another process has its address: its slots are taken, and nobody tells it.</summary>
    public void BeReplaced()
    {
        InDoubtUntil = TimeSpan.MaxValue;
        _socket.Replace();
    }

    /// <summary>Whether it has withdrawn the key of a device, and ended its sessions.</summary>
    public bool HasWithdrawn(string device) => _withdrawn.Contains(device);

    /// <summary>Hears that the key of a device is withdrawn, after a while if it runs.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="newKey">The key from now on; empty for none.</param>
    public void Hear(string device, byte[] newKey) => After(_newsDelay, () =>
    {
        if (!_world.Has(ClusterPlants.KeyKept))
        {
            SetKey(device, newKey);
        }

        EndSessions(device);

        // A handshake that began before may end after that (docs/dtls.md).
        After(s_handshake, () =>
        {
            EndSessions(device);
            _withdrawn.Add(device);
            _world.Withdrawals.OnProgress();
        });
    });

    /// <summary>Whether it has ever been suspended.</summary>
    public bool WasSuspended { get; private set; }

    public void Sleep()
    {
        WasSuspended = true;
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

    private void SetKey(string device, byte[] key)
    {
        _keys.Remove(device);
        if (key.Length > 0)
        {
            _keys.Add(device, key);
        }
    }

    private void EndSessions(string device) => Server.Endpoint.Disconnect(
        peer => (peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity == device, "Its key was removed.");

    private void After(TimeSpan time, Action act) =>
        _timers.Add(Time.CreateTimer(act => ((Action)act!)(), act, time, Timeout.InfiniteTimeSpan));

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
        Server.MapGet("/state/{id}", (CoapRequestContext request) => _world.StateFor(this, request)).Observable();
        Server.MapPost("/count", async (CoapRequestContext request, CancellationToken cancellationToken) =>
        {
            (int id, int wait) = ClusterRequests.Parse(request);
            SimulatedClusterNode? before = _world.Requests.DeviceOf(id).ServedBy;
            string name = NameOf(request);
            if (_world.Has(ClusterPlants.Dropped) && before is not null && before != this)
            {
                return CoapResults.Text($"{id}=0");
            }

            int value = _world.Requests.OnRun(id, this, name);
            if (_world.Has(ClusterPlants.Twice) && id % 4 == 0)
            {
                _world.Requests.OnRun(id, this, name);
            }

            if (wait > 0)
            {
                await Task.Delay(TimeSpan.FromMilliseconds(wait), Time, cancellationToken);
            }

            return CoapResults.Text($"{id}={(_world.Has(ClusterPlants.StaleCount) ? value - 1 : value)}");
        });
        Server.MapGet("/count", (CoapRequestContext request) => CoapResults.Text(
            $"{_world.History.ValueOf(_world.Devices.First(device => device.Name == NameOf(request)).Counter)}"));
    }

    private string NameFor(CoapRequestContext request) => _world.Has(ClusterPlants.OtherName) ? "device-0" : NameOf(request);

    private string NameOf(CoapRequestContext request)
    {
        string name = (request.Peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity ?? "nobody";
        _world.Devices.FirstOrDefault(device => device.Name == name)?.ServedBy = this;
        return name;
    }
}
