using ClusterSample;

namespace CoAP.NET.Survival.Scenarios;

/// <summary>A node starts again with the sessions of very many devices, some of which ask in them then.</summary>
/// <param name="table">Where it is added.</param>
/// <param name="sizes">How many.</param>
internal sealed class RestoreCost(FigureTable table, Sizes sizes)
{
    private const int AsksOneOf = 10;

    public async Task RunAsync(bool hasDatabase)
    {
        await using PostgreSqlProcess? database = hasDatabase ? await PostgreSqlProcess.StartAsync(isDurable: !sizes.IsSelfCheck) : null;
        using NodeFolder folder = new();
        string[] arguments = folder.Arguments(isDurable: true, database is null ? null : NodeStore.PostgreSql(database.ConnectionString));
        using UdpBalancer balancer = new(CoapRandomSource.Secure);
        using SecureDevices devices = new(balancer.Address);
        using (NodeProcess first = await NodeProcess.StartAsync("A", arguments))
        {
            balancer.Use([first.Backend]);
            devices.Open(sizes.Restored);
            await first.StopAsync();
        }

        using NodeProcess second = await NodeProcess.StartAsync("B", arguments);
        balancer.Begin();
        balancer.Use([second.Backend]);
        devices.Ask(AsksOneOf);
        table.Check(devices.Errors == 0, $"{devices.Errors} devices were not answered in their sessions");
        table.Check(balancer.Read().NumbersTwice == 0, $"{balancer.Read().NumbersTwice} record numbers were used twice");
        string figure = FormattableString.Invariant($"start of a server with {sizes.Restored:N0} sessions");
        double seconds = second.Start.TotalSeconds;
        if (sizes.IsSelfCheck)
        {
            table.Add(figure, $"{seconds:0.00} s");
        }
        else
        {
            int goal = hasDatabase ? 2 : 1;
            table.Add(figure, $"{seconds:0.00} s", $"<= {goal} s", seconds <= goal);
        }
    }
}
