using ClusterSample;
using Orleans.Configuration;
using Orleans.Hosting;

namespace CoAP.NET.Cluster.Tests.PostgreSql;

/// <summary>Silos that stop while their database is away.</summary>
/// <remarks>
/// Real clock: silos have no other. Orleans tries for a minute to write that a silo stops, and for another one that it is dead, so all of
/// them stop at the same time.
/// </remarks>
[External("postgres")]
public sealed class StoppingSiloTests
{
    [Fact]
    public async Task Silos_stop_without_an_exception_while_PostgreSQL_is_away()
    {
        await using PostgreSqlProcess server = await PostgreSqlProcess.StartAsync(isDurable: false);
        await using PostgreSqlProcess other = await PostgreSqlProcess.StartAsync(isDurable: false);
        IHost alone = await StartAsync(server);
        IHost first = await StartAsync(other);
        IHost last = await StartAsync(other);

        await server.CrashAsync();
        await other.CrashAsync();

        // The first of two tries to hand its slots over. The other one stops when it has given up.
        Task[] stops = [StopAsync(alone), StopAsync(first)];
        TaskCompletionSource hasLeft = new(RunContinuationsAsynchronously);
        first.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping.Register(hasLeft.SetResult);
        await hasLeft.Task;
        await Task.WhenAll([.. stops, StopAsync(last)]);
    }

    private static async Task<IHost> StartAsync(PostgreSqlProcess server)
    {
        await CoapOrleansTables.CreateAsync(server.ConnectionString, TestContext.Current.CancellationToken);
        IHost host = Make(server.ConnectionString);
        await host.StartAsync();
        return host;
    }

    private static async Task StopAsync(IHost host)
    {
        await host.StopAsync();
        await ((IAsyncDisposable)host).DisposeAsync();
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
