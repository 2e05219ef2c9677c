using System.Text.RegularExpressions;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Stores;
using Orleans.Configuration;
using Orleans.Hosting;

namespace CoAP.NET.Cluster.Tests.Guides;

/// <summary>What docs/guides/kubernetes.md says of times, settings and ports holds. Its program is run with the packages.</summary>
public sealed partial class KubernetesPageTests
{
    private const string Database = "Host=postgresql;Database=meters;Username=meters;Password=no";

    private static readonly string s_page = Path.Combine(Repository.Root, "docs", "guides", "kubernetes.md");

    /// <summary>All of a stop fits into what the pod is given.</summary>
    [Fact]
    public void The_times_on_the_page_are_consistent()
    {
        CoapSlotMoveOptions moves = new() { RelayTime = TimeSpan.FromSeconds(10) };
        TimeSpan shutdown = TimeSpan.FromSeconds(50);

        Assert.True(moves.LeaveTimeout + moves.RelayTime < shutdown - TimeSpan.FromSeconds(20));
        string page = File.ReadAllText(s_page);
        page.Mentions("terminationGracePeriodSeconds: 60");
        page.Mentions("ShutdownTimeout = TimeSpan.FromSeconds(50)");
        page.Mentions("LeaveTimeout (15 s");
        Assert.Equal(TimeSpan.FromSeconds(15), moves.LeaveTimeout);
        page.Mentions("minReadySeconds: 5");
        Assert.True(moves.SettleTime < TimeSpan.FromSeconds(5), "minReadySeconds of the page is shorter.");
    }

    /// <summary>What the manifest sets is read, by keys that there are, and the ports that are named are those that are listened at.
    /// </summary>
    [Fact]
    public async Task An_application_reads_the_settings_of_the_manifest_on_the_page()
    {
        string page = await File.ReadAllTextAsync(s_page);
        string folder = Directory.CreateTempSubdirectory("coap-cluster-").FullName;
        await File.WriteAllTextAsync(Path.Combine(folder, "cluster-secret"), Convert.ToBase64String(CoapSealedClusterStore.NewSecret()));
        await File.WriteAllTextAsync(Path.Combine(folder, "devices.psk"), "meter-7:0x8d3f51b2c07a46e99b1e20f4d5a6c733\n");
        Dictionary<string, string?> settings = Setting().Matches(page).ToDictionary(
            match => match.Groups["name"].Value.Replace("__", ":", StringComparison.Ordinal),
            match => (string?)match.Groups["value"].Value.Replace("/etc/meters", folder, StringComparison.Ordinal));
        Assert.All((string[])["Coap:Cluster:SecretFile", "Coap:Server:Dtls:PskFile"], key => Assert.True(File.Exists(settings[key])));

        HostApplicationBuilder builder = new();
        builder.Configuration.AddInMemoryCollection(settings);
        builder.Services.AddCoapState().UsePostgreSql(Database);
        builder.Services.AddCoapServer().UseDtls().KeepState();
        builder.UseOrleans(silo => silo
            .Configure<ClusterOptions>(options => (options.ClusterId, options.ServiceId) = ("meters", "meters"))
            .ConfigureEndpoints(siloPort: int.Parse(SiloPort().Match(page).Groups["port"].Value, null), gatewayPort: 0)
            .UseAdoNetClustering(options => (options.Invariant, options.ConnectionString) = ("Npgsql", Database))
            .AddCoap());
        using IHost host = builder.Build();
        CoapClusterOptions cluster = host.Services.GetRequiredService<IOptions<CoapClusterOptions>>().Value;
        IList<string> endpoints = host.Services.GetRequiredService<IOptions<CoapServerOptions>>().Value.Endpoints;
        int silo = host.Services.GetRequiredService<IOptions<EndpointOptions>>().Value.SiloPort;

        Assert.Equal(TimeSpan.FromSeconds(10), cluster.Moves.RelayTime);
        string endpoint = Assert.Single(endpoints).Replace("*", "[::]", StringComparison.Ordinal);
        page.Mentions($"containerPort: {CoapUri.Parse(endpoint).Port}, protocol: UDP");
        page.Mentions($"name: silo, containerPort: {silo}, protocol: TCP");
        Directory.Delete(folder, recursive: true);
    }

    [GeneratedRegex("{ name: (?<name>Coap__[A-Za-z_]+), value: \"?(?<value>[^\" ]+)\"? }")]
    private static partial Regex Setting();

    [GeneratedRegex("siloPort: (?<port>[0-9]+)")]
    private static partial Regex SiloPort();
}
