using Orleans.Configuration;
using Orleans.Hosting;

namespace CoAP.NET.Cluster.Tests.Guides;

/// <summary>The snippets of the pages of clusters, so that they compile. What they do is tested elsewhere.</summary>
public sealed class ClusterPageTests
{
    [Fact]
    public void Every_snippet_of_the_page_is_in_these_tests()
    {
        Snippets.AllStandInTests("cluster.md", "Guides", 8, "CoAP.NET.Cluster.Tests");
        Snippets.AllStandInTests("exactly-once.md", "Guides", 1, "CoAP.NET.Cluster.Tests");
    }

    internal static void Serve(string[] args)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
        builder.Services.AddCoapState().UseSqlite("/var/lib/meters/coap.db");
        builder.Services.AddCoapServer().UseDtls().KeepState();
        builder.Services.AddHealthChecks().AddCoapState();
    }

    internal static void ServeByCode(HostApplicationBuilder builder, byte[] secret, ICoapPskStore keys)
    {
        builder.Services.AddCoapState(options => options.Secrets = [secret]).UseSqlite("/var/lib/meters/coap.db");
        builder.Services.AddCoapServer(options => options.Endpoint.UseDtls(new CoapDtlsOptions
        {
            Server = new CoapDtlsServerOptions { PskStore = keys },
        })).KeepState();
    }

    internal static void Protect(HostApplicationBuilder builder)
    {
        builder.Services.AddSingleton<DeviceContexts>();
        builder.Services.AddCoapServer()
            .UseOscore(services => services.GetRequiredService<DeviceContexts>()).KeepState();
    }

    internal static async Task AttachAsync(CoapDtlsOptions dtls, byte[] secret)
    {
        CoapSqliteClusterOptions store = new() { Path = "/var/lib/meters/coap.db" };
        await using CoapCluster cluster = store.CreateCluster(new CoapClusterOptions { Secrets = [secret] });
        await using CoapServer server = new(cluster.KeepState(new CoapEndpointOptions().UseDtls(dtls)));
        server.Listen("coaps://[::]:5684");
        cluster.Attach(server);
        await cluster.StartAsync();
        await server.StartAsync();
    }

    internal static async Task ShareAsync(HostApplicationBuilder builder)
    {
        string connectionString = builder.Configuration.GetConnectionString("Cluster")!;
        await CoapOrleansTables.CreateAsync(connectionString);
        builder.Services.AddCoapState().UsePostgreSql(connectionString);
        builder.Services.AddCoapServer().UseDtls().KeepState();
        builder.UseOrleans(silo => silo
            .Configure<ClusterOptions>(options => (options.ClusterId, options.ServiceId) = ("meters", "meters"))
            .Configure<EndpointOptions>(options => (options.SiloPort, options.GatewayPort) = (11111, 0))
            .UseAdoNetClustering(options => (options.Invariant, options.ConnectionString) = ("Npgsql", connectionString))
            .AddCoap());
    }

    internal static void Observe(CoapCluster cluster, CoapServer server)
    {
        CoapClusterObservations observations = cluster.Observations;
        observations.Map("temperature", (device, response) => Console.WriteLine($"{device}: {response.GetText()}"));
        server.Endpoint.PeerConnected += (_, peer) => _ = observations.StartAsync("temperature", peer, "/3303/0/5700");
    }

    internal static void DoOnce(CoapServer server, DbDataSource database)
    {
        CoapExactlyOnce once = new();
        server.MapPost("/pulses", async (request, cancellationToken) =>
        {
            await using DbConnection connection = await database.OpenConnectionAsync(cancellationToken);
            await using DbTransaction transaction = await connection.BeginTransactionAsync(cancellationToken);
            CoapExactlyOnceRequest run = await once.TryBeginAsync(transaction, request, cancellationToken: cancellationToken);
            if (!run.IsFirst)
            {
                return run.Answer ?? CoapResults.Changed();
            }

            CoapResult answer = await CountAsync(transaction, request);
            await run.CompleteAsync(answer, cancellationToken);
            await transaction.CommitAsync(cancellationToken);
            return answer;
        });

        static Task<CoapResult> CountAsync(DbTransaction transaction, CoapRequestContext request) => Task.FromResult(CoapResults.Changed());
    }

    internal static void UsePostgreSql(HostApplicationBuilder builder) =>
        builder.Services.AddCoapState().UsePostgreSql("Host=db;Database=meters;Username=meters;Password=...");

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
