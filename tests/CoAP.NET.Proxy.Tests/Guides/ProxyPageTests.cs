using System.Text.RegularExpressions;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Proxy.Tests.Guides;

/// <summary>The snippets and tables of docs/proxies.md.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed partial class ProxyPageTests
{
    private static string Page => File.ReadAllText(Path.Combine(Repository.Root, "docs", "proxies.md"));

    [Fact]
    public void Every_snippet_of_the_page_is_in_these_tests() =>
        Snippets.AllStandInTests("proxies.md", "Guides", 5, "CoAP.NET.Proxy.Tests");

    [Fact]
    public async Task The_snippets_of_the_page_work()
    {
        await using ProxyWorld world = new(options => options.Targets.AllowHost("*.sensors.example.com"));
        world.Answer(request => CoapResults.Text($"{request.Path}"));
        CoapServer server = world.ProxyServer;
        CoapClient client = world.Client;
        world.Names["gateway.example.com"] = [IPAddress.Parse("2001:db8::1")];
        world.Names["lamp.sensors.example.com"] = [IPAddress.Parse("2001:db8:1::1")];
        world.Names["boiler.example.com"] = [IPAddress.Parse("2001:db8:1::1")];

        CoapProxyOptions options = new() { Identifier = "gw1" };
        options.Names.Add("gateway.example.com");
        options.Targets.AllowHost("*.sensors.example.com").AllowNetwork("2001:db8:1::/48");
        await using (world.MakeProxy(options, "[2001:db8::1]"))
        {
            await MapAsync(server, world);
        }

        await world.StartAsync();
        CoapResponse answer = await world.RunAsync(() => AskAsync(client));
        answer.Says("/state");
        client.Proxy = null;
        await world.SendAsync(new CoapRequest(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/floor1/x/y")).Says("/x/y");
    }

    private static async Task MapAsync(CoapServer server, ProxyWorld world)
    {
        await Task.CompletedTask;
        server.MapForwardProxy(world.Proxy);
        CoapProxy proxy = world.Proxy;
        server.MapReverseProxy("/floor1/{*path}", "coap://[2001:db8:1::1]/", proxy);
        server.MapReverseProxy("/boiler", "coap+tcp://boiler.example.com/status", proxy);
        server.MapReverseProxy("/devices/{id}/{*path}", request => FindPeer(request.Route["id"]), proxy);
    }

    private static async Task<CoapResponse> AskAsync(CoapClient client)
    {
        client.Proxy = new CoapUri("coap://gateway.example.com");
        CoapResponse response = await client.GetAsync("coap://lamp.sensors.example.com/state");
        return response;
    }

    private static CoapPeer? FindPeer(string id) => id.Length == 0 ? throw new ArgumentException("An id is missing.", nameof(id)) : null;

    private static void MapWhole(CoapServer server, CoapProxy proxy)
    {
        server.MapReverseProxy("/{*path}", "coap://[2001:db8:1::1]/", proxy);
        server.MapReverseProxy("/.well-known/core", "coap://[2001:db8:1::1]/.well-known/core", proxy);
    }

    [Fact]
    public async Task A_reverse_proxy_represents_a_whole_server()
    {
        await using ProxyWorld world = new();
        world.Origin.MapGet("/lamp", () => CoapResults.Text("on"));
        MapWhole(world.ProxyServer, world.Proxy);
        await world.StartAsync();

        Assert.Equal("/lamp", Assert.Single(await world.RunAsync(() => world.Client.DiscoverAsync(ProxyWorld.ProxyUri))).Target);
    }

    // As the page has it: one statement after the other.
    private static async Task ForwardAsync(CoapServer server)
    {
        CoapProxyOptions options = new() { Identifier = "gw1" };
        options.Names.Add("gateway.example.com");
        options.Targets.AllowHost("*.sensors.example.com").AllowNetwork("2001:db8:1::/48");
        await using CoapProxy proxy = new(options);
        server.MapForwardProxy(proxy);
    }

    [Fact]
    public async Task A_proxy_is_created_as_the_page_shows()
    {
        await using CoapServer server = new();
        await ForwardAsync(server);
        Assert.Throws<InvalidOperationException>(() => server.MapForwardProxy(new CoapProxy()));
    }

    [Fact]
    public void The_table_of_options_has_every_property_of_the_proxy_options()
    {
        int from = Page.IndexOf("## What passes", StringComparison.Ordinal);
        string table = Page[from..Page.IndexOf("## Cache", from, StringComparison.Ordinal)];
        Assert.All(
            CoapOptionRegistry.Default.Factories.Where(static factory => factory.Definition.SignallingCode is null),
            factory => table.Mentions(factory.Definition.Name), throwIfEmpty: true);
    }

    [Fact]
    public void The_limits_have_the_defaults_on_the_page()
    {
        CoapProxyOptions options = new();
        CoapProxyLimits limits = options.Limits;
        Dictionary<string, string> rows = Row().Matches(Page[Page.IndexOf("## Bounds", StringComparison.Ordinal)..])
            .ToDictionary(match => match.Groups["name"].Value, match => match.Groups["value"].Value);
        Assert.Equal(limits.MaxRequests.ToString("N0", CultureInfo.InvariantCulture), rows[nameof(limits.MaxRequests)]);
        Assert.Equal($"{limits.MaxRequestsPerSource}", rows[nameof(limits.MaxRequestsPerSource)]);
        Assert.Equal(limits.MaxObservations.ToString("N0", CultureInfo.InvariantCulture), rows[nameof(limits.MaxObservations)]);
        Assert.Equal($"{limits.MaxObservationsPerSource}", rows[nameof(limits.MaxObservationsPerSource)]);
        Assert.Equal($"{limits.CacheBytes / 1024 / 1024} MiB", rows[nameof(limits.CacheBytes)]);
        Assert.Equal($"{limits.MaxBodySize / 1024 / 1024} MiB", rows[nameof(limits.MaxBodySize)]);
        Assert.Equal($"{limits.StreamsAbove / 1024} KiB", rows[nameof(limits.StreamsAbove)]);
        Assert.Equal($"{limits.MaxStreamedBodySize / 1024 / 1024 / 1024} GiB", rows[nameof(limits.MaxStreamedBodySize)]);
        Assert.Equal($"{options.Timeout.TotalSeconds} s", rows[nameof(options.Timeout)]);
        Assert.Equal($"{options.HopLimit}", rows[nameof(options.HopLimit)]);
        Assert.Equal("true", options.RequireVerified ? rows[nameof(options.RequireVerified)] : "false");
        Assert.Equal("false", options.AllowSecuredTargetsToAnyone ? "true" : rows[nameof(options.AllowSecuredTargetsToAnyone)]);
    }

    [GeneratedRegex(@"^\| `(?:Limits\.)?(?<name>\w+)` \| (?<value>[^|]+?) \|", RegexOptions.Multiline)]
    private static partial Regex Row();
}
