using System.Net.Sockets;
using CoAP.NET.Connecting;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Proxy.Tests;

[Collection(VirtualTimeCollection.Name)]
public sealed class TargetTests
{
    [Theory]
    [InlineData("sensor.example.com", "2001:4860::1", true)]
    [InlineData("SENSOR.example.com", "2001:4860::1", true)]
    [InlineData("sensor.example.com.", "2001:4860::1", true)]
    [InlineData("other.example.com", "2001:4860::1", false)]
    [InlineData("a.devices.example.com", "2001:4860::1", true)]
    [InlineData("devices.example.com", "2001:4860::1", false)]
    [InlineData("evildevices.example.com", "2001:4860::1", false)]
    [InlineData("sensor.example.com", "127.0.0.1", false)]
    [InlineData("sensor.example.com", "::1", false)]
    [InlineData("sensor.example.com", "::ffff:127.0.0.1", false)]
    [InlineData("sensor.example.com", "64:ff9b::7f00:1", false)]
    [InlineData("sensor.example.com", "2002:7f00:1::", false)]
    [InlineData("sensor.example.com", "2001:0:4136:e378:8000:63bf:80ff:fffe", false)]
    [InlineData("sensor.example.com", "2001:0:7f00:1:8000:63bf:f7f7:f7f7", false)]
    [InlineData("sensor.example.com", "2001:0:4136:e378:8000:63bf:f7f7:f7f7", true)]
    [InlineData("sensor.example.com", "2001:4860::5efe:10.0.0.1", false)]
    [InlineData("sensor.example.com", "2001:4860::200:5efe:10.0.0.1", false)]
    [InlineData("sensor.example.com", "2001:4860::200:5efe:8.8.8.8", true)]
    [InlineData("sensor.example.com", "2001:4860::5eff:10.0.0.1", true)]
    [InlineData("sensor.example.com", "2001:4860::5ffe:10.0.0.1", true)]
    [InlineData("sensor.example.com", "2001:4860::1:5efe:10.0.0.1", true)]
    [InlineData("sensor.example.com", "2001:4860::100:5efe:10.0.0.1", true)]
    [InlineData("sensor.example.com", "::ffff:0:127.0.0.1", false)]
    [InlineData("sensor.example.com", "10.1.2.3", false)]
    [InlineData("sensor.example.com", "172.31.0.1", false)]
    [InlineData("sensor.example.com", "192.168.1.1", false)]
    [InlineData("sensor.example.com", "100.64.0.1", false)]
    [InlineData("sensor.example.com", "169.254.169.254", false)]
    [InlineData("sensor.example.com", "fe80::1", false)]
    [InlineData("sensor.example.com", "fe80::1%3", false)]
    [InlineData("sensor.example.com", "fd00::1", false)]
    [InlineData("sensor.example.com", "ff02::1", false)]
    [InlineData("sensor.example.com", "224.0.1.187", false)]
    [InlineData("sensor.example.com", "0.0.0.0", false)]
    [InlineData("sensor.example.com", "255.255.255.255", false)]
    [InlineData("sensor.example.com", "192.168.7.9", true)]
    [InlineData("whatever.example", "192.168.7.9", true)]
    [InlineData("192.168.7.9", "192.168.7.9", true)]
    [InlineData("::ffff:192.168.7.9", "::ffff:192.168.7.9", true)]
    [InlineData("192.0.2.9", "192.0.2.9", true)]
    [InlineData("[2001:4860::9]", "2001:4860::9", true)]
    [InlineData("[2001:4860::8]", "2001:4860::8", false)]
    public void A_target_is_allowed_by_its_name_and_by_its_address(string host, string address, bool isAllowed)
    {
        CoapProxyTargets targets = new CoapProxyTargets()
            .AllowHost("sensor.example.com").AllowHost("*.devices.example.com").AllowHost("192.0.2.9").AllowHost("[2001:4860::9]")
            .AllowNetwork("192.168.7.0/24");

        Assert.Equal(isAllowed, targets.Allows(host, IPAddress.Parse(address)));
    }

    [Fact]
    public void No_target_is_allowed_by_default_and_groups_are_never_allowed()
    {
        Assert.False(new CoapProxyTargets().MayAllow(CoapUri.Parse("coap://sensor.example.com")));
        Assert.False(new CoapProxyTargets().Allows("sensor.example.com", IPAddress.Parse("2001:4860::1")));
        Assert.False(new CoapProxyTargets().AllowNetwork("ff00::/8").Allows("x", IPAddress.Parse("ff05::1")));
        Assert.True(new CoapProxyTargets().AllowHost("*").Allows("x", IPAddress.Parse("2001:4860::1")));
        Assert.False(new CoapProxyTargets().AllowHost("*").Allows("x", IPAddress.Parse("fd00::1")));
    }

    [Fact]
    public void A_host_name_is_resolved_only_if_it_is_allowed_regardless_of_allowed_networks()
    {
        CoapProxyTargets targets = new CoapProxyTargets().AllowNetwork("192.168.7.0/24").AllowHost("*.lan");

        Assert.True(targets.MayAllow(CoapUri.Parse("coap://192.168.7.9")));
        Assert.True(targets.MayAllow(CoapUri.Parse("coap://boiler.lan")));
        Assert.False(targets.MayAllow(CoapUri.Parse("coap://boiler.example")));
        Assert.False(targets.MayAllow(CoapUri.Parse("coap://192.168.8.9")));
        Assert.True(targets.Allows("boiler.lan", IPAddress.Parse("192.168.7.9")));
    }

    [Theory]
    [InlineData("coap://sensor.example.com", true)]
    [InlineData("coaps+tcp://sensor.example.com:5684", true)]
    [InlineData("coaps://sensor.example.com:5683", false)]
    [InlineData("coap+tcp://sensor.example.com:6379", false)]
    [InlineData("coap+ws://sensor.example.com", true)]
    [InlineData("http://sensor.example.com:6379", false)]
    [InlineData("https://sensor.example.com", true)]
    [InlineData("http://sensor.example.com:443", false)]
    [InlineData("coap://lamp.example.com:61616", true)]
    [InlineData("coap://lamp.example.com", false)]
    [InlineData("coap://a.any.example.com:9100", true)]
    [InlineData("coap://192.168.7.9", true)]
    [InlineData("coap+tcp://192.168.7.9:25", false)]
    [InlineData("coap+tcp://[::ffff:192.168.7.9]:25", false)]
    [InlineData("coap+tcp://192.168.8.9:25", true)]
    [InlineData("coap+tcp://192.168.8.9:26", false)]
    [InlineData("coap://[2001:db8:2::1]:7", true)]
    [InlineData("coap://[2001:db8:3::1]:5685", true)]
    [InlineData("coap://[2001:db8:3::1]", false)]
    [InlineData("mqtt://sensor.example.com", true)]
    [InlineData("mqtt://sensor.example.com:1883", false)]
    public void An_entry_without_a_port_allows_default_ports_and_an_entry_with_a_port_only_that_port(string target, bool mayBe)
    {
        CoapProxyTargets targets = new CoapProxyTargets()
            .AllowHost("sensor.example.com").AllowHost("lamp.example.com:61616").AllowHost("*.any.example.com:*")
            .AllowHost("[2001:db8:3::1]:5685")
            .AllowNetwork("192.168.7.0/24").AllowNetwork("192.168.8.0/24:25").AllowNetwork("2001:db8:2::/48:*");

        Assert.Equal(mayBe, targets.MayAllow(new Uri(target)));
        if (CoapUri.TryParse(target, out CoapUri? uri))
        {
            Assert.Equal(mayBe, targets.MayAllow(uri));
        }
    }

    [Fact]
    public void Allowing_any_port_for_every_host_name_does_not_apply_to_non_public_addresses()
    {
        CoapProxyTargets targets = new CoapProxyTargets().AllowHost("*:*").AllowNetwork("10.0.0.0/8");

        Assert.True(targets.MayAllow(CoapUri.Parse("coap://192.88.98.1:7")));
        Assert.True(targets.MayAllow(CoapUri.Parse("coap://10.0.0.1")));
        Assert.False(targets.MayAllow(CoapUri.Parse("coap+tcp://10.0.0.1:6379")));
    }

    [Fact]
    public async Task An_allowed_host_is_reachable_only_at_the_allowed_port()
    {
        await using ProxyWorld world = new();
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Text("here"));
        await world.StartAsync();

        CoapResponse refused = await world.SendAsync(ProxyWorld.Ask("coap://[2001:db8:1::1]:6379/"));

        Assert.Equal(CoapCode.ProxyingNotSupported, refused.Code);
        refused.GetText().Mentions("port");
        await world.SendAsync(ProxyWorld.Ask(ProxyWorld.OriginUri)).Says("here");
    }

    [Theory]
    [InlineData("192.168.7.0/24:0")]
    [InlineData("192.168.7.0/24:x")]
    [InlineData("192.168.7.1/33")]
    [InlineData("192.168.7.0")]
    public void An_invalid_network_is_refused(string network)
    {
        ArgumentException refused = Assert.Throws<ArgumentException>(nameof(network), () => new CoapProxyTargets().AllowNetwork(network));
        refused.Mentions($"'{network}'");
    }

    [Fact]
    public async Task Host_names_that_do_not_resolve_do_not_block_the_proxy_for_other_clients()
    {
        TaskCompletionSource<IPAddress[]> never = new();
        int lookups = 0;
        await using ProxyWorld world = new(options =>
        {
            options.Targets.AllowHost("*");
            Action<CoapEndpointOptions>? usual = options.ConfigureClient;
            options.ConfigureClient = endpoint =>
            {
                usual?.Invoke(endpoint);
                Func<string, CancellationToken, Task<IPAddress[]>> resolve = endpoint.Transports.ResolveHost;
                endpoint.Transports.ResolveHost = (name, cancellationToken) =>
                {
                    lookups++;
                    return name.EndsWith(".slow", Ordinal) ? never.Task : resolve(name, cancellationToken);
                };
            };
        });
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Text("here"));
        world.Names["sensor.example"] = [IPAddress.Parse("2001:db8:1::1")];
        CoapClient stranger = world.MakeClient(
            "[2001:db8:77::1]", options => options.Parameters = CoapTransmissionParameters.Default with { NStart = 100 });
        await world.StartAsync();
        await world.VerifyAsync();
        await world.RunAsync(() => stranger.SendAsync(ProxyWorld.Ask(ProxyWorld.OriginUri)));

        Task<CoapResponse>[] slow = [.. Enumerable.Range(0, 40).Select(i => stranger.SendAsync(ProxyWorld.Ask($"coap://n{i}.slow/")))];
        await world.Clock.AdvanceUntilAsync(() => slow.Count(one => one.IsCompleted) > 30, FromMinutes(1));

        Assert.Equal(CoapNameResolver.MaxLookupsPerSource, lookups);
        CoapResponse[] refused = [.. slow.Where(one => one.IsCompleted).Select(one => one.Result)];
        Assert.All(refused, one => Assert.Equal(CoapCode.ServiceUnavailable, one.Code));
        Assert.All(refused, one => Assert.Equal(FromSeconds(5), one.MaxAge));
        await world.SendAsync(ProxyWorld.Ask("coap://sensor.example/")).Says("here");
        await world.SendAsync(ProxyWorld.Ask(ProxyWorld.OriginUri)).Says("here");
        never.SetException(new SocketException((int)SocketError.TryAgain));
        CoapResponse[] ends = await world.RunAsync(() => Task.WhenAll(slow));
        Assert.Equal(CoapNameResolver.MaxLookupsPerSource, ends.Count(one => one.Code == CoapCode.BadGateway));
    }

    [Theory]
    [InlineData("a b")]
    [InlineData("a*b.example")]
    [InlineData("example.com/path")]
    [InlineData("example.com:0")]
    [InlineData("example.com:65536")]
    [InlineData("example.com:")]
    [InlineData("coap://example.com")]
    [InlineData("[::1]:x")]
    [InlineData("")]
    public void An_invalid_host_name_is_refused(string host) =>
        Assert.ThrowsAny<ArgumentException>(() => new CoapProxyTargets().AllowHost(host));

    [Fact]
    public async Task An_allowed_host_name_that_resolves_to_a_forbidden_address_is_answered_5_05()
    {
        await using ProxyWorld world = new(options => options.Targets.AllowHost("sensor.example"));
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Text("here"));
        world.Names["sensor.example"] = [IPAddress.Parse("2001:db8:1::1")];
        CoapServer inside = world.MakeServer("[fd00::5]:5683");
        int asked = 0;
        inside.MapGet("/", () =>
        {
            asked++;
            return CoapResults.Text("secret");
        });
        await world.StartAsync();
        await inside.StartAsync();

        CoapResponse before = await world.SendAsync(ProxyWorld.Ask("coap://sensor.example/"));
        world.Names["sensor.example"] = [IPAddress.Parse("fd00::5")];
        CoapResponse after = await world.SendAsync(ProxyWorld.Ask("coap://sensor.example/"));
        world.Names["sensor.example"] = [IPAddress.Parse("fd00::5"), IPAddress.Parse("2001:db8:1::1")];
        CoapResponse mixed = await world.SendAsync(ProxyWorld.Ask("coap://sensor.example/"));

        before.Says("here");
        after.Gives(CoapCode.ProxyingNotSupported);
        mixed.Says("here");
        Assert.Equal(0, asked);
        Assert.Equal(1, world.Proxy.GetCounters().TargetsDenied);
    }

    [Theory]
    [InlineData("coap://127.0.0.1/")]
    [InlineData("coap://[::1]/")]
    [InlineData("coap://[::ffff:127.0.0.1]/")]
    [InlineData("coap://127.1/")]
    [InlineData("coap://2130706433/")]
    [InlineData("coap://0x7f.1/")]
    [InlineData("coap://localhost/")]
    [InlineData("coap://[fe80::1]/")]
    [InlineData("coap://[fe80::1%25eth0]/")]
    [InlineData("coap://10.0.0.1/")]
    [InlineData("coap://169.254.169.254/latest/meta-data")]
    [InlineData("coap://[2001:db8::1]:9999/")]
    [InlineData("coap+tcp://[2001:db8::1]:22/")]
    [InlineData("coap://allowed.example@[::1]/")]
    public async Task The_default_proxy_forwards_no_request(string target)
    {
        await using ProxyWorld world = new(options => options.Targets.AllowHost("allowed.example"));
        world.Names["localhost"] = [IPAddress.Loopback, IPAddress.IPv6Loopback];
        world.Names["127.1"] = world.Names["2130706433"] = world.Names["0x7f.1"] = [IPAddress.Loopback];
        world.ProxyServer.MapForwardProxy(world.Proxy);
        await world.StartAsync();

        CoapResponse response = await world.SendAsync(ProxyWorld.Ask(target));

        Assert.Contains(response.Code, (CoapCode[])[CoapCode.ProxyingNotSupported, CoapCode.BadRequest]);
        Assert.Equal(0, world.Proxy.Client.Endpoint.Counters[CoapCounter.RequestsSent]);
    }
}
