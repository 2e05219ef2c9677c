using System.Net;
using CoAP.NET.Cluster;
using CoAP.NET.Cluster.PostgreSql;
using CoAP.NET.Tests.Shared;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Orleans.Configuration;
using Orleans.Hosting;

namespace CoAP.NET.Survival.Nodes;

/// <summary>A node on Orleans: an application with a silo, which knows the others from the PostgreSQL that has the sessions.</summary>
internal sealed class NodeSilo : IHostedService, IAsyncDisposable
{
    private readonly IHost _host;
    private CoapServer? _server;

    private NodeSilo(Func<NodeSilo, IHost> make)
    {
        _host = make(this);
        Cluster = _host.Services.GetRequiredService<CoapCluster>();
    }

    public CoapCluster Cluster { get; }

    /// <summary>Makes one.</summary>
    /// <param name="store">The store of the sessions.</param>
    /// <param name="connection">The database of it.</param>
    /// <param name="configure">Sets options of the cluster.</param>
    /// <param name="log">Where it logs.</param>
    public static async Task<NodeSilo> CreateAsync(
        ICoapClusterStore store, string connection, Action<CoapClusterOptions> configure, NodeLog log)
    {
        connection += ";Maximum Pool Size=8";
        await CoapOrleansTables.CreateAsync(connection);
        HostApplicationBuilder builder = Host.CreateApplicationBuilder();
        builder.Logging.ClearProviders().AddProvider(log).SetMinimumLevel(log.Least);
        builder.Services.Configure<HostOptions>(static options => options.ShutdownTimeout = TimeSpan.FromMinutes(1));
        builder.Services.AddCoapCluster(configure).UseStore(_ => store);
        builder.UseOrleans(silo => silo
            .Configure<ClusterOptions>(static options => (options.ClusterId, options.ServiceId) = ("survival", "survival"))
            .ConfigureEndpoints(IPAddress.Loopback, LoopbackPort.FindFree(), gatewayPort: 0)
            .UseAdoNetClustering(options => (options.Invariant, options.ConnectionString) = ("Npgsql", connection))
            .AddCoap());
        return new NodeSilo(self =>
        {
            builder.Services.AddSingleton<IHostedService>(self);
            return builder.Build();
        });
    }

    /// <summary>Starts everything.</summary>
    /// <param name="server">The server.</param>
    public Task StartAsync(CoapServer server)
    {
        _server = server;
        return _host.StartAsync();
    }

    Task IHostedService.StartAsync(CancellationToken cancellationToken) => _server!.StartAsync(cancellationToken);

    Task IHostedService.StopAsync(CancellationToken cancellationToken) => _server!.DisposeAsync().AsTask();

    /// <summary>Stops everything, as an application stops.</summary>
    public async ValueTask DisposeAsync()
    {
        await _host.StopAsync();
        await ((IAsyncDisposable)_host).DisposeAsync();
    }
}
