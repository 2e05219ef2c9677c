using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Observing;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Observing;

namespace CoAP.NET.Cluster.Tests.Observing;

/// <summary>A server on plain coap that is stopped and started again, and its clients, in virtual time.</summary>
internal sealed class ObserverWorld : IAsyncDisposable
{
    private int _seed;

    public ObserverWorld()
    {
        Memory = new CoapMemoryCluster(Clock);
        Network = new InMemoryNetwork(Clock);
    }

    public static CoapAddress Address { get; } = InMemoryNetwork.Address("192.0.2.1:5683");

    public VirtualClock Clock { get; } = new();

    public CoapMemoryCluster Memory { get; }

    public InMemoryNetwork Network { get; }

    public CoapCluster Cluster { get; private set; } = null!;

    public CoapServer Server { get; private set; } = null!;

    /// <summary>What <c>/devices/{id}</c> has.</summary>
    public string State { get; set; } = "zero";

    /// <summary>How often its handler ran.</summary>
    public int Runs { get; private set; }

    /// <param name="configure">Changes the options.</param>
    /// <param name="address">Where the server listens.</param>
    /// <param name="behind">How far the date of its machine is behind that of others.</param>
    public async Task StartAsync(
        Action<CoapClusterObserverOptions>? configure = null, CoapAddress? address = null, TimeSpan behind = default)
    {
        TimeProvider time = behind == TimeSpan.Zero ? Clock : new ClockBehind(Clock, behind);
        CoapClusterOptions options = ClusterTests.Options(FromHours(1));
        configure?.Invoke(options.Observers);
        Cluster = new CoapCluster(Memory.Open(), options, time, new VirtualRandom((ulong)++_seed));
        CoapEndpointOptions endpoint = EndpointOptions();
        endpoint.TimeProvider = time;
        Server = new CoapServer(Cluster.KeepState(endpoint));
        Server.Endpoint.AddTransport(Network.CreateTransport(address ?? Address));
        Server.MapGet("/devices/{id}", () =>
        {
            Runs++;
            return CoapResults.Text(State);
        }).Observable();
        Server.MapGet("/own/{id}", request => CoapResults.Text($"{State} for {request.Peer.Address}")).Observable();
        Cluster.Attach(Server);
        await Cluster.StartAsync();
        await Server.StartAsync();
    }

    public async Task StopAsync()
    {
        await Clock.AdvanceUntilAsync(Server.DisposeAsync().AsTask(), FromMinutes(1));
        await Clock.AdvanceUntilAsync(Cluster.DisposeAsync().AsTask(), FromMinutes(1));
    }

    public Task UntilAsync(Func<bool> condition) => Clock.AdvanceUntilAsync(condition, FromMinutes(30));

    /// <summary>Lets time pass, and everything happen that is due meanwhile.</summary>
    public Task PassAsync(TimeSpan time) => Clock.AdvanceUntilAsync(
        Task.Delay(time, Clock, CancellationToken.None), time + FromSeconds(1));

    /// <summary>Waits until so many observers are in the store.</summary>
    public async Task AreStoredAsync(int count)
    {
        for (int looks = 0; await CountAsync() is var there && there != count; looks++)
        {
            Assert.True(looks < 1_000, $"{there} and not {count} observers are in the store.");
            await PassAsync(FromMilliseconds(20));
        }
    }

    public async Task<int> CountAsync()
    {
        int count = 0;
        await using ICoapClusterStore store = Memory.Open();
        foreach (CoapSlot slot in CoapSlot.All)
        {
            await foreach (CoapRecord record in store.ReadAsync(CoapRecordKind.Observer, slot, default))
            {
                count += ObserverRecord.IsObserver(record.Key.Bytes.Span) ? 1 : 0;
            }
        }

        return count;
    }

    /// <summary>How many resources a client observes.</summary>
    public int ObserversOf(int client) =>
        Server.Endpoint.GetSnapshot(AddressOf(client).ToIPAddress()).Peers.Sum(peer => peer.Observers);

    public ScriptedPeer Client(int number) => Network.CreatePeer(AddressOf(number), Address);

    public static CoapAddress AddressOf(int number) =>
        InMemoryNetwork.Address($"198.51.{100 + (number / 200)}.{1 + (number % 200)}:40000");

    /// <summary>A registration as the core tells of it, of a client that need not be there.</summary>
    public CoapPersistedObserver Observer(int client, int token, string path = "1") =>
        new(Server.FindPeer(AddressOf(client), Address)!, Request(token, path), CoapContentFormat.TextPlain);

    /// <summary>A datagram that asks for a resource.</summary>
    public static byte[] Datagram(int token, string path, ushort messageId, uint? observe = 0, string collection = "devices")
    {
        CoapMessage request = Request(token, path, observe, collection);
        request.MessageId = messageId;
        return CoapDatagramSerializer.Default.Serialize(request);
    }

    public CoapEndpointOptions EndpointOptions() => new()
    {
        TimeProvider = Clock,
        Pipeline = { Random = new VirtualRandom((ulong)++_seed), Scheduler = new VirtualScheduler(Clock) },
    };

    public async ValueTask DisposeAsync()
    {
        Memory.IsAway = false;
        await StopAsync();
    }

    private static CoapMessage Request(int token, string path, uint? observe = 0, string collection = "devices")
    {
        CoapMessage request = new(CoapCode.Get)
        {
            Type = CoapMessageType.Confirmable,
            Token = new CoapToken([(byte)(token >> 8), (byte)token]),
        };
        request.Options.Observe = observe;
        request.Options.Add(new CoAP.NET.UriPathOption(collection));
        request.Options.Add(new CoAP.NET.UriPathOption(path));
        return request;
    }

    private sealed class ClockBehind(VirtualClock clock, TimeSpan by) : TimeProvider
    {
        public override long TimestampFrequency => clock.TimestampFrequency;

        public override DateTimeOffset GetUtcNow() => clock.GetUtcNow() - by;

        public override long GetTimestamp() => clock.GetTimestamp();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            clock.CreateTimer(callback, state, dueTime, period);
    }
}
