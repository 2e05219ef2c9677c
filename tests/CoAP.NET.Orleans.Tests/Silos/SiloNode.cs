using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Tests.Nodes;
using CoAP.NET.Cluster.Tests.Steering;
using CoAP.NET.Diagnostics;
using CoAP.NET.Orleans.Slots;
using CoAP.NET.Oscore;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Logging;
using Orleans.Configuration;
using Orleans.Hosting;

namespace CoAP.NET.Orleans.Tests.Silos;

/// <summary>An application with a silo and a server, in this process.</summary>
internal sealed class SiloNode : IAsyncDisposable
{
    public static readonly byte[] Secret = [.. Enumerable.Range(1, 32).Select(i => (byte)i)];

    private readonly IHost _host;
    private readonly CancellationTokenSource _killed = new();
    private Task? _end;

    private SiloNode(IHost host, IPEndPoint silo, CutStore store)
    {
        _host = host;
        Silo = silo;
        Store = store;
        Cluster = host.Services.GetRequiredService<CoapCluster>();
        Server = host.Services.GetRequiredService<CoapServer>();
        Slots = host.Services.GetRequiredService<SiloSlotTable>();
    }

    public IPEndPoint Silo { get; }

    public SiloAddress SiloAddress => _host.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress;

    public CutStore Store { get; }

    public CoapCluster Cluster { get; }

    public CoapServer Server { get; }

    public SiloSlotTable Slots { get; }

    public IPEndPoint Address => new(IPAddress.Loopback, Server.LocalEndpoints[0].Port);

    /// <summary>Where it serves plain requests and those under OSCORE.</summary>
    public IPEndPoint PlainAddress =>
        IPEndPoint.Parse(Server.LocalEndpoints.Single(uri => uri.Scheme == "coap").Origin()["coap://".Length..]);

    public int Sessions => Server.Endpoint.ConnectedPeers.Count;

    public IGrainFactory Grains => _host.Services.GetRequiredService<IGrainFactory>();

    /// <summary>Starts one.</summary>
    /// <param name="memory">The store that all share.</param>
    /// <param name="members">Where silos find each other.</param>
    /// <param name="keys">The keys of devices.</param>
    /// <param name="log">Where it logs.</param>
    /// <param name="map">Maps its resources.</param>
    /// <param name="release">How long slots wait for requests; null for long.</param>
    public static async Task<SiloNode> StartAsync(CoapMemoryCluster memory, SharedMembershipTable members, ICoapPskStore keys,
        StringWriterLogger log, Action<CoapServer> map, TimeSpan? release = null)
    {
        SiloNode node = Make(memory, members, keys, log, map, Secret, release);
        try
        {
            await node._host.StartAsync();
        }
        catch (Exception exception)
        {
            await node.DisposeAsync();
            throw new InvalidOperationException($"The silo did not start. Log: {log}", exception);
        }

        return node;
    }

    /// <summary>Starts one with another secret, whose start fails because it reaches none of the others.</summary>
    public static async Task<SiloNode> StartStrangerAsync(CoapMemoryCluster memory, SharedMembershipTable members, ICoapPskStore keys,
        StringWriterLogger log, Action<CoapServer> map)
    {
        SiloNode node = Make(memory, members, keys, log, map, [.. Secret.Reverse()], release: null);
        try
        {
            await Assert.ThrowsAnyAsync<Exception>(() => node._host.StartAsync());
        }
        catch
        {
            await node.DisposeAsync();
            throw;
        }

        return node;
    }

    private static SiloNode Make(CoapMemoryCluster memory, SharedMembershipTable members, ICoapPskStore keys, StringWriterLogger log,
        Action<CoapServer> map, byte[] secret, TimeSpan? release)
    {
        CutStore store = new(memory.Open());
        IPEndPoint silo = new(IPAddress.Loopback, LoopbackPort.FindFree());
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Logging.AddProvider(new Logs(log));
        builder.Services.AddHealthChecks().AddCoapState();
        builder.Services.AddCoapState(options =>
        {
            options.Secrets = [secret];
            options.Lease = FromHours(1);
            options.Moves.SettleTime = TimeSpan.Zero;
            options.Moves.RelayTime = TimeSpan.Zero;
            options.Moves.LeaveTimeout = FromMinutes(5);
            options.Moves.ReleaseTimeout = release ?? FromMinutes(1);
            options.Writer.StopTimeout = FromSeconds(1);
        }).UseStore(_ => store).DevicesAre(peer => (peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity);
        builder.UseOrleans(orleans => orleans
            .Configure<ClusterOptions>(options => (options.ClusterId, options.ServiceId) = ("site", "site"))
            .ConfigureEndpoints(IPAddress.Loopback, silo.Port, gatewayPort: 0)
            .AddCoap()
            .WithSmallDirectoryCache()

            // However busy the machine is, nobody is taken for dead, and nobody ends this process.
            .Configure<ClusterMembershipOptions>(options =>
            {
                options.ProbeTimeout = FromSeconds(10);
                options.MinProbeTimeout = options.ProbeTimeout;
                options.NumMissedProbesLimit = 10;

                // Those that have the secret join at once.
                options.MaxJoinAttemptTime = secret == Secret ? options.MaxJoinAttemptTime : TimeSpan.Zero;
            }));
        builder.Services.AddSingleton<IMembershipTable>(members);
        builder.Services.AddSingleton<IFatalErrorHandler, NoFatalErrors>();
        builder.Services.AddCoapServer(options =>
        {
            options.Endpoints.Add("coaps://127.0.0.1:0");
            options.Endpoints.Add("coap://127.0.0.1:0");
            options.Endpoint.UseDtls(new CoapDtlsOptions { Server = new CoapDtlsServerOptions { PskStore = keys } });
        }).UseOscore(services => new SiloContexts(services.GetRequiredService<IOscoreStore>()))
        .KeepState().ConfigureServer((server, _) => map(server));
        return new SiloNode(builder.Build(), silo, store);
    }

    /// <summary>What a probe of readiness gets.</summary>
    public async Task<HealthReportEntry> CheckHealthAsync() =>
        (await _host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync()).Entries["coap-cluster"];

    /// <summary>The number of silos that Orleans knows to be active.</summary>
    public int ActiveSilos => _host.Services.GetRequiredService<ISiloStatusOracle>().GetActiveSilos().Length;

    /// <summary>Stops as an application stops: it leaves before.</summary>
    public Task StopAsync() => _end ??= EndAsync();

    /// <summary>Ends without a word to the store: nothing of it is written, and no slot is handed over.</summary>
    public async Task KillAsync()
    {
        await Store.CutAsync();
        await _killed.CancelAsync();
        await _host.Services.GetRequiredService<Silo>().StopAsync(_killed.Token);
    }

    /// <summary>Has this silo declare another one dead, which may not have been able to say so itself.</summary>
    public Task DeclareDeadAsync(SiloNode other) => _host.Services.GetRequiredService<IClusterMembershipService>()
        .TryKill(other.SiloAddress);

    /// <summary>Has this silo vote for the death of another one, as when its probes are not answered.</summary>
    public Task VoteAgainstAsync(SiloNode other)
    {
        // Orleans votes by itself only.
        Type type = typeof(Silo).Assembly.GetType("Orleans.Runtime.MembershipService.IMembershipManager", throwOnError: true)!;
        return (Task)type.GetMethod("TrySuspectSilo")!.Invoke(
            _host.Services.GetRequiredService(type), [other.SiloAddress, null, CancellationToken.None])!;
    }

    /// <summary>Whether Orleans takes a silo for dead, and the number of votes against it.</summary>
    public async Task<(SiloStatus Status, int Votes)> StatusOfAsync(SiloNode other)
    {
        MembershipTableData table = await _host.Services.GetRequiredService<IMembershipTable>().ReadAllAsync();
        MembershipEntry entry = table.TryGet(other.SiloAddress)!.Item1;
        return (entry.Status, entry.SuspectTimes?.Count ?? 0);
    }

    /// <summary>What happened to it, for whoever wonders why something was lost.</summary>
    public string Describe() =>
        $"{Cluster.Self} {Cluster.GetNodeCounters()}, slots {Cluster.Map.SlotsOf(Cluster.Self.Id).Count}, sessions {Sessions}";

    public ValueTask DisposeAsync() => new(StopAsync());

    private async Task EndAsync()
    {
        await _host.StopAsync(_killed.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await ((IAsyncDisposable)_host).DisposeAsync();
        _killed.Dispose();
    }

    private sealed class Logs(StringWriterLogger log) : ILoggerProvider
    {
        public ILogger CreateLogger(string categoryName) => log;

        public void Dispose()
        {
            // The test still shows it.
        }
    }

    private sealed class NoFatalErrors : IFatalErrorHandler
    {
        public bool IsUnexpected(Exception exception) => true;

        public void OnFatalException(object? sender = null, string? context = null, Exception? exception = null)
        {
            // The process has other silos.
        }
    }
}
