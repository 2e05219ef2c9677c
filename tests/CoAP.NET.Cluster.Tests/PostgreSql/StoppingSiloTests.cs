using ClusterSample;
using Orleans.Configuration;
using Orleans.Hosting;

namespace CoAP.NET.Cluster.Tests.PostgreSql;

/// <summary>Silos that stop while their database is away.</summary>
/// <remarks>Real clock: silos have no other.</remarks>
[External("postgres")]
public sealed class StoppingSiloTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_silo_stops_without_an_exception_while_PostgreSQL_is_away(int silos)
    {
        await using PostgreSqlProcess server = await PostgreSqlProcess.StartAsync(isDurable: false);
        await CoapOrleansTables.CreateAsync(server.ConnectionString, TestContext.Current.CancellationToken);
        List<IHost> hosts = [];
        for (int i = 0; i < silos; i++)
        {
            hosts.Add(Make(server.ConnectionString));
            await hosts[i].StartAsync();
        }

        await server.CrashAsync();

        foreach (IHost host in hosts)
        {
            await host.StopAsync();
            await ((IAsyncDisposable)host).DisposeAsync();
        }
    }

    private static IHost Make(string database)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true });
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = FromSeconds(2));
        builder.Services.AddCoapState(options =>
        {
            options.Secrets = ClusterTests.Options().Secrets;
            options.Moves.SettleTime = TimeSpan.Zero;
            options.Moves.LeaveTimeout = FromSeconds(1);
            options.Moves.RelayTime = TimeSpan.Zero;
            options.Writer.StopTimeout = FromSeconds(1);
        }).UsePostgreSql(database);
        builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0")).KeepState();
        builder.UseOrleans(silo => silo
            .Configure<ClusterOptions>(options => (options.ClusterId, options.ServiceId) = ("meters", "meters"))
            .ConfigureEndpoints(IPAddress.Loopback, LoopbackPort.FindFree(), gatewayPort: 0)
            .UseAdoNetClustering(options => (options.Invariant, options.ConnectionString) = ("Npgsql", database))
            .AddCoap());
        return builder.Build();
    }
}
