using CoAP.NET.Dtls;
using CoAP.NET.Dtls.Transport;
using CoAP.NET.Testing.Network;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>A device with a DTLS session with whichever node has it, which asks, observes, and is asked.</summary>
internal sealed class SimulatedDevice : IAsyncDisposable
{
    private const int CidLength = 8;
    private const uint Hosts = 0xC612_0001;

    // Shorter than three days, so that what is lost for good is found out, and longer than any fault.
    private static readonly TimeSpan s_silence = TimeSpan.FromSeconds(45);

    // Within which time what it sends is answered.
    private static readonly TimeSpan s_answer = TimeSpan.FromSeconds(5);

    private readonly InMemoryTransport _transport;
    private readonly CoapServer _server;
    private readonly List<TimeSpan> _tries = [];
    private int _rebinds;

    // Since when nobody knows where it is.
    private TimeSpan? _reboundAt;

    /// <param name="world">Where it is.</param>
    /// <param name="index">Which it is.</param>
    public SimulatedDevice(ClusterWorld world, int index)
    {
        Index = index;
        Name = $"device-{index}";
        HasCid = index < world.Plan.Devices - world.Plan.Plain;
        Address = HostOf(index) with { Port = 40_000 };
        _transport = world.Network.CreateHost(Address);
        _server = new CoapServer(new CoapEndpointOptions
        {
            TimeProvider = world.Clock,
            Pipeline = { Scheduler = world.Scheduler, Random = new VirtualRandom((world.Plan.Seed * 7919) + (ulong)index) },
            Parameters = CoapTransmissionParameters.Default with { AckTimeout = TimeSpan.FromSeconds(1), MaxRetransmit = 5 },
        });
        _server.Endpoint.AddTransport(CoapDtlsTransport.Over(_transport, new CoapDtlsOptions
        {
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(Name, Key) },
            UseConnectionIds = HasCid,
            ClientCidLength = HasCid ? CidLength : 0,
            SilenceToProbe = s_silence,
        }));
        _server.MapGet("/state", () => CoapResults.Text("here"));
        _server.MapPut("/set", (CoapRequestContext request) =>
        {
            int id = int.Parse(request.GetText());
            world.Journal.Note($"{this} is set {id}");
            Done.Insert(world.Has(ClusterPlants.Reordered) ? 0 : Done.Count, id);
            return CoapResults.Changed();
        });
        _server.Endpoint.PeerConnected += (_, _) =>
        {
            if (++Sessions > 1)
            {
                world.OnNewSession(this);
            }
        };
        _server.Endpoint.PeerDisconnected += (_, end) =>
        {
            if (end.Reason is CoapConnectionException { Error: CoapError.ClosedLocally })
            {
                // It has ended the session itself, as nobody wanted it.
                ServerCid = null;
            }
        };
    }

    public int Index { get; }

    public string Name { get; }

    /// <summary>Its key.</summary>
    public byte[] Key { get; } = "secretPSK-1234567"u8.ToArray();

    /// <summary>The name of the counter of its unsafe requests in the history.</summary>
    public string Counter => $"count of {Name}";

    public bool HasCid { get; }

    /// <summary>How many sessions it has opened.</summary>
    public int Sessions { get; private set; }

    public CoapEndpoint Endpoint => _server.Endpoint;

    /// <summary>The requests of outboxes that came to it, in order.</summary>
    public List<int> Done { get; } = [];

    /// <summary>Until when its radio is off.</summary>
    public TimeSpan RadioOffUntil { get; set; }

    /// <summary>When it sent something, without those times after which something for it or from it was lost within seconds.</summary>
    public IReadOnlyList<TimeSpan> Tries => _tries;

    /// <summary>The Connection ID by which it finds the server last.</summary>
    public string? ServerCid { get; set; }

    /// <summary>The node that served it last.</summary>
    public SimulatedClusterNode? ServedBy { get; set; }

    // The network for benchmarks (RFC 2544).
    public static CoapAddress HostOf(int index) => CoapAddress.FromIPv4(Hosts + (uint)index, 0);

    /// <summary>The number of the device with an address; no device may have it.</summary>
    public static uint IndexOf(CoapAddress address) =>
        BinaryPrimitives.ReadUInt32BigEndian(address.ToIPAddress().GetAddressBytes()) - Hosts;

    // A server without an address would listen at the port of coap.
    public Task StartAsync() => _server.Endpoint.StartAsync();

    /// <summary>Something comes to it, at an address of its own.</summary>
    /// <param name="now">When.</param>
    /// <returns>For how long nobody knew that address.</returns>
    public TimeSpan OnReached(TimeSpan now)
    {
        TimeSpan unknown = _reboundAt is { } at ? now - at : TimeSpan.Zero;
        _reboundAt = null;
        return unknown;
    }

    /// <summary>It sends something.</summary>
    /// <param name="now">When.</param>
    public void OnTry(TimeSpan now) => _tries.Add(now);

    /// <summary>Something for it or from it is lost.</summary>
    /// <param name="now">When.</param>
    public void OnLoss(TimeSpan now) => _tries.RemoveAll(time => time > now - s_answer);

    /// <summary>Where it is to be reached.</summary>
    public CoapAddress Address { get; private set; }

    public void Rebind(InMemoryNetwork network, TimeSpan now)
    {
        Address = HostOf(Index) with { Port = (ushort)(41_000 + ++_rebinds) };
        network.Rebind(_transport.PublicAddress, Address);
        _reboundAt ??= now;
    }

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    public override string ToString() => Name;
}
