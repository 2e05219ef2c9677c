using System.Data.Common;
using CoAP.NET.Cluster.PostgreSql;
using CoAP.NET.Cluster.Sqlite;
using CoAP.NET.Dtls;
using CoAP.NET.Hosting;
using CoAP.NET.Oscore;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Orleans.Configuration;
using Orleans.Hosting;

namespace CoAP.NET.Cluster.Tests.Guides;

/// <summary>The snippets of the pages of clusters and tables, so that they compile. What they do is tested elsewhere.</summary>
public sealed class ClusterPageTests
{
    [Fact]
    public async Task Every_snippet_of_the_page_stands_in_these_tests()
    {
        Snippets.AllStandInTests("cluster.md", "Guides", 8, "CoAP.NET.Cluster.Tests");
        Snippets.AllStandInTests("cluster-records.md", "Guides", 4, "CoAP.NET.Cluster.Tests");
        Snippets.AllStandInTests("exactly-once.md", "Guides", 1, "CoAP.NET.Cluster.Tests");
        Snippets.AllStandInTests("tables.md", "Guides", 2, "CoAP.NET.Cluster.Tests");
        await ShareAsync();
        await TestAsync(CancellationToken.None);
    }

    internal static void Serve(string[] args)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
        builder.Services.AddCoapCluster().UseSqlite("/var/lib/meters/coap.db");
        builder.Services.AddCoapServer().UseDtls().UseCluster();
        builder.Services.AddHealthChecks().AddCoapCluster();
    }

    internal static void ServeByCode(HostApplicationBuilder builder, byte[] secret, ICoapPskStore keys)
    {
        builder.Services.AddCoapCluster(options => options.Secrets = [secret]).UseSqlite("/var/lib/meters/coap.db");
        builder.Services.AddCoapServer(options => options.Endpoint.UseDtls(new CoapDtlsOptions
        {
            Server = new CoapDtlsServerOptions { PskStore = keys },
        })).UseCluster();
    }

    internal static void Protect(HostApplicationBuilder builder)
    {
        builder.Services.AddSingleton<DeviceContexts>();
        builder.Services.AddCoapServer()
            .UseOscore(oscore => oscore.Resolver = services => services.GetRequiredService<DeviceContexts>()).UseCluster();
    }

    internal static async Task AttachAsync(CoapDtlsOptions dtls, byte[] secret)
    {
        CoapClusterOptions options = new() { Secrets = [secret] };
        await using CoapCluster cluster = new(new CoapSqliteClusterStore("/var/lib/meters/coap.db"), options);
        await using CoapServer server = new(new CoapEndpointOptions().UseDtls(dtls).UseCluster(cluster));
        cluster.Attach(server);
        await cluster.StartAsync();
        await server.StartAsync();
    }

    internal static async Task ShareAsync(HostApplicationBuilder builder, string connectionString)
    {
        await CoapOrleansTables.CreateAsync(connectionString);
        builder.Services.AddCoapCluster().UsePostgreSql(connectionString);
        builder.Services.AddCoapServer().UseDtls().UseCluster();
        builder.UseOrleans(silo => silo
            .Configure<ClusterOptions>(options => (options.ClusterId, options.ServiceId) = ("meters", "meters"))
            .ConfigureEndpoints(siloPort: 11111, gatewayPort: 0)
            .UseAdoNetClustering(options => (options.Invariant, options.ConnectionString) = ("Npgsql", connectionString))
            .AddCoap());
    }

    internal static void Observe(CoapCluster cluster, CoapServer server)
    {
        CoapClusterObservations observations = cluster.Observations;
        observations.Map("temperature", notification => Console.WriteLine($"{notification.Peer}: {notification.Response.GetText()}"));
        server.Endpoint.PeerConnected += (_, peer) => _ = observations.StartAsync("temperature", peer, "/3303/0/5700");
    }

    internal static void DoOnce(CoapServer server, DbDataSource database)
    {
        CoapOnce once = new();
        server.MapPost("/pulses", async (request, cancellationToken) =>
        {
            await using DbConnection connection = await database.OpenConnectionAsync(cancellationToken);
            await using DbTransaction transaction = await connection.BeginTransactionAsync(cancellationToken);
            CoapOnceRun run = await once.TryBeginAsync(transaction, request, cancellationToken: cancellationToken);
            if (!run.IsFirst)
            {
                return run.Answer ?? CoapResults.Changed();
            }

            CoapResult answer = await CountAsync(transaction, request);
            await run.CompleteAsync(answer, cancellationToken);
            await transaction.CommitAsync(cancellationToken);
            return answer;
        });

        static Task<CoapResult> CountAsync(DbTransaction transaction, CoapRequest request) => Task.FromResult(CoapResults.Changed());
    }

    internal static async Task KeepAsync(CancellationToken cancellationToken)
    {
        await using CoapSqliteClusterStore store = new("/var/lib/meters/coap.db");

        CoapClusterNode self = new(CoapNodeId.New(), Address: "");
        CoapClusterMap map = await store.JoinAsync(self, lease: TimeSpan.FromSeconds(5), cancellationToken);
        CoapClusterMap taken = map.Assign(self.Id, map.Orphans());
        if (await store.TryChangeAsync(taken, cancellationToken))
        {
            CoapSlot slot = CoapSlot.OfName("meter-7"u8);
            CoapRecordKey key = new(CoapRecordKind.Registration, slot, "meter-7"u8);
            CoapRecordChange change = CoapRecordChange.Put(key, taken[slot].Fence, "</3/0>"u8.ToArray(), lifetime: TimeSpan.FromHours(1));
            CoapWriteResult result = await store.WriteAsync(new[] { change }, cancellationToken);
            Console.WriteLine(result[0]); // Written, or Fenced: another node has the slot by now
        }
    }

    private static async Task ShareAsync()
    {
        await using CoapPostgreSqlClusterStore store = new("Host=db;Database=meters;Username=meters;Password=...");
    }

    internal static async Task SealAsync(byte[] secret)
    {
        await using CoapSealedClusterStore store = new(new CoapSqliteClusterStore("/var/lib/meters/coap.db"), secret);
    }

    internal static async Task WriteAsync(
        ICoapClusterStore store, CoapRecordKey key, CoapFence fence, byte[] state, byte[] reserve, CancellationToken cancellationToken)
    {
        await using CoapRecordWriter writer = new(store, new CoapRecordWriterOptions { MaxRecords = 100_000 });

        // Soon.
        writer.TryWrite(CoapRecordChange.Put(key, fence, state, TimeSpan.FromHours(1)));

        // Confirmed: it may be used now.
        CoapWriteOutcome outcome = await writer.WriteAsync(
            CoapRecordChange.Put(key, fence, reserve, Timeout.InfiniteTimeSpan), cancellationToken);
        Assert.Equal(CoapWriteOutcome.Written, outcome);
    }

    private static async Task TestAsync(CancellationToken cancellationToken)
    {
        VirtualClock clock = new();
        CoapMemoryCluster cluster = new(clock);
        await using ICoapClusterStore one = cluster.Open();
        await using ICoapClusterStore other = cluster.Open();

        await one.JoinAsync(new CoapClusterNode(CoapNodeId.New(), Address: ""), TimeSpan.FromSeconds(5), cancellationToken);
        clock.Advance(TimeSpan.FromSeconds(6)); // the first node does not renew its lease
        CoapClusterMap map = await other.JoinAsync(new CoapClusterNode(CoapNodeId.New(), ""), TimeSpan.FromSeconds(5), cancellationToken);
        Console.WriteLine(map.Nodes.Count); // 1
        Assert.Single(map.Nodes);
    }

    public sealed class DeviceKeys
    {
        public OscoreParameters? Find(ReadOnlyMemory<byte> kid) =>
            kid.Length == 1 ? new OscoreParameters(new byte[16], [0], kid.Span) : null;
    }

    public sealed class DeviceContexts(IOscoreStore store, DeviceKeys keys) : IOscoreContextResolver
    {
        public async ValueTask<OscoreContext?> FindAsync(
            ReadOnlyMemory<byte> kid, ReadOnlyMemory<byte>? idContext, CancellationToken cancellationToken)
        {
            using OscoreParameters? parameters = keys.Find(kid);
            return parameters is null ? null : await OscoreContext.OpenAsync(parameters, store, cancellationToken: cancellationToken);
        }
    }
}
