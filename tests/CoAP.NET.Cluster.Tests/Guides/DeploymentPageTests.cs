using System.Text.RegularExpressions;
using CoAP.NET.Cluster.PostgreSql;
using CoAP.NET.Hosting;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Diagnostics.HealthChecks;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Cluster.Tests.Guides;

/// <summary>The snippets of docs/cluster-deployment.md, so that they compile.</summary>
public sealed partial class DeploymentPageTests
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() =>
        Snippets.AllStandInTests("cluster-deployment.md", "Guides", 1, "CoAP.NET.Cluster.Tests");

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

    /// <summary>What the manifests set is read, by keys that there are, and the ports that are named are those that are listened at.
    /// </summary>
    [Fact]
    public async Task An_application_reads_what_the_manifests_of_the_page_set()
    {
        string page = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "docs", "cluster-deployment.md"));
        string folder = Directory.CreateTempSubdirectory("coap-cluster-").FullName;
        await File.WriteAllTextAsync(Path.Combine(folder, "cluster-secret"), Convert.ToBase64String(CoapSealedClusterStore.NewSecret()));
        await File.WriteAllTextAsync(Path.Combine(folder, "devices.psk"), "meter-7:0x8d3f51b2c07a46e99b1e20f4d5a6c733\n");
        Dictionary<string, string?> settings = Setting().Matches(page).ToDictionary(
            static match => match.Groups["name"].Value.Replace("__", ":", StringComparison.Ordinal),
            match => (string?)match.Groups["value"].Value.Replace("/etc/meters", folder, StringComparison.Ordinal));
        Assert.All((string[])["Coap:Cluster:SecretFile", "Coap:Server:Dtls:PskFile"], key => Assert.True(File.Exists(settings[key])));

        HostApplicationBuilder builder = new();
        builder.Configuration.AddInMemoryCollection(settings);
        builder.Services.AddCoapCluster().UseMemory();
        builder.Services.AddCoapServer().UseDtls().UseCluster();
        using IHost host = builder.Build();
        CoapClusterOptions cluster = host.Services.GetRequiredService<IOptions<CoapClusterOptions>>().Value;
        IList<string> endpoints = host.Services.GetRequiredService<IOptions<CoapServerOptions>>().Value.Endpoints;

        Assert.Equal(TimeSpan.FromSeconds(10), cluster.Moves.RelayTime);
        string endpoint = Assert.Single(endpoints).Replace("*", "[::]", StringComparison.Ordinal);
        Assert.Contains($"containerPort: {CoapUri.Parse(endpoint).Port}, protocol: UDP", page, StringComparison.Ordinal);
        Assert.Contains($"containerPort: {CoapUri.Parse(cluster.LinkAddress).Port}, protocol: TCP", page, StringComparison.Ordinal);
        Directory.Delete(folder, recursive: true);
    }

    internal static async Task DeployAsync(string[] args)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
        builder.Services.AddCoapCluster().UsePostgreSql(builder.Configuration.GetConnectionString("Cluster")!);
        builder.Services.AddCoapServer().UseDtls().UseCluster();
        builder.Services.AddHealthChecks().AddCoapServer().AddCoapCluster();
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = TimeSpan.FromSeconds(50));

        WebApplication app = builder.Build();
        app.MapHealthChecks("/health");

        // It answers, and asks nobody.
        app.MapHealthChecks("/alive", new HealthCheckOptions { Predicate = _ => false });
        await app.RunAsync();
    }

    [GeneratedRegex("{ name: (?<name>Coap__[A-Za-z_]+), value: \"?(?<value>[^\" ]+)\"? }")]
    private static partial Regex Setting();
}
