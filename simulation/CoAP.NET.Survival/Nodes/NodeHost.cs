using CoAP.NET.Cluster.PostgreSql;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Hosting;
using CoAP.NET.Tests.Shared;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Orleans.Configuration;
using Orleans.Hosting;

namespace CoAP.NET.Survival.Nodes;

/// <summary>The application of a node, as an operator runs it: a server, and where it keeps its state a cluster and maybe a silo.</summary>
internal static class NodeHost
{
    private const int Most = 1_000_000;
    private static readonly TimeSpan s_shutdown = TimeSpan.FromMinutes(1);

    /// <summary>Makes one.</summary>
    /// <param name="store">Where it keeps its state; null for nowhere.</param>
    /// <param name="connection">The PostgreSQL in which it finds the other silos; null for an application without a silo.</param>
    /// <param name="configure">Sets options of the cluster.</param>
    /// <param name="log">Where it logs.</param>
    /// <param name="map">Maps the resources of the server.</param>
    public static async Task<IHost> MakeAsync(
        ICoapClusterStore? store, string? connection, Action<CoapClusterOptions> configure, NodeLog log,
        Action<CoapServer, IServiceProvider> map)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Logging.AddProvider(log).SetMinimumLevel(log.Least);
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = s_shutdown);
        builder.Services.AddHealthChecks();
        if (store is not null)
        {
            builder.Services.AddCoapState(configure).UseStore(_ => store);
            builder.Services.AddHealthChecks().AddCoapState();
        }

        if (connection is not null)
        {
            connection += ";Maximum Pool Size=8";
            await CoapOrleansTables.CreateAsync(connection);
            builder.UseOrleans(silo => silo
                .Configure<ClusterOptions>(options => (options.ClusterId, options.ServiceId) = ("survival", "survival"))
                .ConfigureEndpoints(IPAddress.Loopback, LoopbackPort.FindFree(), gatewayPort: 0)
                .UseAdoNetClustering(options => (options.Invariant, options.ConnectionString) = ("Npgsql", connection))
                .AddCoap());
        }

        CoapDtlsServerOptions dtls = new()
        {
            PskStore = new SharedPskStore(),
            MaxSessions = Most,
            MaxSessionsPerAddress = Most,
            MaxSessionsPerIdentity = Most,
        };
        ICoapServerBuilder server = builder.Services
            .AddCoapServer(options => options.Listen("coaps://127.0.0.1:0").Listen("coap://127.0.0.1:0"))
            .ConfigureEndpoint((options, _) => options.UseDtls(new CoapDtlsOptions { Server = dtls }))
            .ConfigureServer(map);
        if (store is not null)
        {
            server.KeepState();
        }

        return builder.Build();
    }
}
