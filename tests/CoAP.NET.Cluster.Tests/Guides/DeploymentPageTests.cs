using CoAP.NET.Cluster.PostgreSql;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace CoAP.NET.Cluster.Tests.Guides;

/// <summary>The snippets of docs/cluster-deployment.md, so that they compile.</summary>
public sealed class DeploymentPageTests
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests()
    {
        Snippets.AllStandInTests("cluster-deployment.md", "Guides", 1, "CoAP.NET.Cluster.Tests");
        Assert.NotNull((Delegate)Deploy);
    }

    /// <summary>What the page says of times holds: all of a stop fits into what the pod is given.</summary>
    [Fact]
    public void The_times_of_the_page_fit_into_each_other()
    {
        CoapSlotMoveOptions moves = new() { RelayTime = TimeSpan.FromSeconds(10) };
        TimeSpan shutdown = TimeSpan.FromSeconds(50);

        Assert.True(moves.LeaveTimeout + moves.RelayTime < shutdown - TimeSpan.FromSeconds(20));
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "cluster-deployment.md"));
        Assert.Contains("terminationGracePeriodSeconds: 60", page, StringComparison.Ordinal);
        Assert.Contains("`LeaveTimeout` (15 s", page, StringComparison.Ordinal);
        Assert.Equal(TimeSpan.FromSeconds(15), moves.LeaveTimeout);
        Assert.True(moves.SettleTime < TimeSpan.FromSeconds(5), "minReadySeconds of the page is shorter.");
    }

    private static void Deploy(HostApplicationBuilder builder)
    {
        string secret = File.ReadAllText("/etc/meters/cluster-secret");
        builder.Services.AddCoapCluster(options =>
        {
            options.Secret = Convert.FromBase64String(secret);
            options.LinkAddress = "coaps+tcp://[::]:5690";
            options.Address = $"coaps+tcp://{builder.Configuration["POD_IP"]}:5690";
            options.Moves.RelayTime = TimeSpan.FromSeconds(10);
        }).UsePostgreSql(builder.Configuration.GetConnectionString("Cluster")!);
        builder.Services.AddHealthChecks().AddCoapServer().AddCoapCluster();
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = TimeSpan.FromSeconds(50));
    }
}
