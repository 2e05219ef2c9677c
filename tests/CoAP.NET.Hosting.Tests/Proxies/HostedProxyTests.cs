using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Http.Hosting;

namespace CoAP.NET.Hosting.Tests.Proxies;

/// <summary>Proxies by configuration.</summary>
public sealed partial class HostedProxyTests : HostTest
{
    [Fact]
    public async Task A_forward_and_a_reverse_proxy_are_configured_and_forward_to_allowed_targets()
    {
        await using CoapServer origin = new();
        origin.Listen("coap://127.0.0.1:0");
        origin.MapGet("/state", () => "on");
        await origin.StartAsync();
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Endpoints", "coap://127.0.0.1:0"), ("Coap:Proxy:Forward", "true"),
            ("Coap:Proxy:AllowedNetworks", "127.0.0.0/8:*"), ("Coap:Proxy:Names", "gateway.example.com"),
            ("Coap:Proxy:Routes:0:Path", "/floor/{*path}"), ("Coap:Proxy:Routes:0:Target", origin.LocalEndpoints[0].Origin()));
        builder.Services.AddCoapServer().AddCoapProxy(options => options.Proxy.Identifier = "gw1").MapGet("/own", () => "own");
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();

        await Within(client.GetAsync(AddressOf(host) + "/floor/state")).Says("on");
        CoapRequest named = new(CoapMethod.Get, AddressOf(host));
        named.Options.Add(new ProxyUriOption(origin.LocalEndpoints[0] + "state"));
        await Within(client.SendAsync(named)).Says("on");
        CoapRequest own = new(CoapMethod.Get, AddressOf(host));
        own.Options.Add(new ProxyUriOption("coap://gateway.example.com/own"));
        await Within(client.SendAsync(own)).Says("own");
        CoapRequest denied = new(CoapMethod.Get, AddressOf(host));
        denied.Options.Add(new ProxyUriOption("coap://[2001:db8::1]/state"));
        await Within(client.SendAsync(denied)).Gives(CoapCode.ProxyingNotSupported);
        Assert.Equal(2, host.Services.GetRequiredService<CoapProxy>().GetCounters().Forwarded);
    }

    [Fact]
    public async Task Targets_are_allowed_by_their_host_names()
    {
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Endpoints", "coap://127.0.0.1:0"), ("Coap:Proxy:Forward", "true"),
            ("Coap:Proxy:AllowedHosts", "lamp.example"));
        builder.Services.AddCoapServer().AddCoapProxy(options => options.Proxy.ConfigureClient = endpoint =>
            endpoint.Transports.ResolveHost = (_, _) => throw new SocketException((int)SocketError.HostNotFound));
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();

        // The proxy looks for the host that it may ask, which is not there.
        await AskAsync("lamp.example").Gives(CoapCode.BadGateway);
        await AskAsync("other.example").Gives(CoapCode.ProxyingNotSupported);

        Task<CoapResponse> AskAsync(string name)
        {
            CoapRequest request = new(CoapMethod.Get, AddressOf(host));
            request.Options.Add(new ProxyUriOption($"coap://{name}/state"));
            return Within(client.SendAsync(request));
        }
    }

    [Fact]
    public async Task The_rewriting_of_links_and_hop_limits_is_configurable()
    {
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Endpoints", "coap://127.0.0.1:0"), ("Coap:Proxy:RewritesLinks", "true"),
            ("Coap:Proxy:RewritesHopLimit", "true"), ("Coap:Proxy:HopLimit", "7"));
        builder.Services.AddCoapServer().AddCoapProxy();
        IHost host = await StartAsync(builder);

        CoapProxyOptions options = host.Services.GetRequiredService<IOptions<CoapHostedProxyOptions>>().Value.Proxy;
        Assert.Equal((true, true, 7), (options.RewritesLinks, options.RewritesHopLimit, options.HopLimit));
    }

    [Fact]
    public async Task A_named_server_has_HTTP_back_ends_from_its_own_section()
    {
        using StubHandler stub = new();
        HostApplicationBuilder builder = Builder(
            ("Coap:Servers:field:Endpoints", "coap://127.0.0.1:0"),
            ("Coap:Proxies:field:Routes:0:Path", "/readings"),
            ("Coap:Proxies:field:Routes:0:Target", "https://api.example.com/readings"),
            ("Coap:Proxies:field:Routes:0:ConvertsJson", "true"),
            ("Coap:Proxies:field:AllowSecuredTargetsToAnyone", "true"));
        builder.Services.AddCoapServer("field").AddCoapProxy(options =>
            options.ConfigureHttp = (http, _) => http.Client = () => new HttpClient(stub, disposeHandler: false));
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();

        CoapResponse response = await Within(client.PostAsync(
            AddressOf(host, "field") + "/readings", new CoapContent(Convert.FromHexString("a1617401"), CoapContentFormat.Cbor)));

        response.Gives(CoapCode.Changed);
        Assert.Equal("https://api.example.com/readings application/json {\"t\":1}", Assert.Single(stub.Seen));
    }

    [Fact]
    public async Task All_proxy_configuration_errors_are_reported_with_their_keys_and_without_secrets()
    {
        HostApplicationBuilder builder = Builder(
            ("Coap:Proxy:HopLimit", "300"), ("Coap:Proxy:Name", "x"), ("Coap:Proxy:IdentityKey", "too short"),
            ("Coap:Proxy:AllowedHosts", "a b"), ("Coap:Proxy:AllowedNetworks", "10.0.0.0/8"), ("Coap:Proxy:Identifier", "g w"),
            ("Coap:Proxy:Limits:MaxBodySize", "1073741825"),
            ("Coap:Proxy:Routes:0:Path", "floor"), ("Coap:Proxy:Routes:1:Path", "/x"),
            ("Coap:Proxy:Routes:1:Target", "ftp://x"), ("Coap:Proxy:Routes:1:PollInterval", "10ms"),
            ("Coap:Proxy:Routes:2:Path", "/y"), ("Coap:Proxy:Routes:2:Target", "coap://y.example/"),
            ("Coap:Proxy:Routes:2:ConvertsJson", "true"));
        builder.Services.AddCoapServer().AddCoapProxy();
        string[] failures = await StartFailuresAsync(builder);

        Assert.Contains("Coap:Proxy:HopLimit = '300': allowed is: whole number, 1 to 255", failures);
        Assert.Contains(
            "Coap:Proxy:Name is not a known key. Did you mean Coap:Proxy:Names? (Coap:Proxy:AllowUnknownKeys makes this a warning.)",
            failures);
        Assert.Contains("Coap:Proxy:IdentityKey = '***': allowed is: text, or 0x and hexadecimal digits, of 32 bytes or more", failures);
        Assert.Contains("Coap:Proxy:AllowedHosts = 'a b': allowed is: host name, *.name, * or IP address, with or without a port", failures);
        Assert.Contains(failures, failure => failure.StartsWith("Coap:Proxy:Identifier = 'g w': ", Ordinal));
        Assert.Contains(
            "Coap:Proxy:Limits:MaxBodySize = '1073741825': allowed is: bytes (B, KiB, MiB, GiB), 1 to 1 GiB", failures);
        Assert.Contains("Coap:Proxy:Routes:0:Path = 'floor': allowed is: path that begins with a slash", failures);
        Assert.Contains("Coap:Proxy:Routes:0:Target is missing. Set it to the URI to forward to.", failures);
        Assert.Contains(
            "Coap:Proxy:Routes:1:Target = 'ftp://x': allowed is: absolute URI of CoAP or HTTP such as coap://device.example/ or "
                + "https://api.example.com/devices",
            failures);
        Assert.Contains(failures, failure => failure.StartsWith("Coap:Proxy:Routes:1:PollInterval = '10ms': ", Ordinal));
        Assert.Contains(
            "Coap:Proxy:Routes:2 has ConvertsJson or PollInterval, which are for HTTP servers, but Target is a CoAP server. Remove them.",
            failures);
        Assert.Contains("Coap:Proxy has allowed targets of a forward proxy, but there is none. Set Coap:Proxy:Forward to true.", failures);
    }

    [Fact]
    public async Task The_error_for_a_path_that_is_already_mapped_names_its_key()
    {
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Endpoints", "coap://127.0.0.1:0"), ("Coap:Proxy:Routes:0:Path", "/floor"),
            ("Coap:Proxy:Routes:0:Target", "coap://127.0.0.1"));
        builder.Services.AddCoapServer().AddCoapProxy().MapGet("/floor", () => "own");
        string[] failures = await StartFailuresAsync(builder);
        Assert.Single(failures).Begins("Coap:Proxy:Routes:0 is not a valid path to serve. ");
    }

    [Theory]
    [MemberData(nameof(Paths))]
    public void Writing_the_default_of_a_proxy_key_changes_no_option(string path)
    {
        ConfigurationKey<CoapHostedProxyOptions> key = ProxyConfigurationKeys.Table.Keys.Single(key => key.Path == path);
        string value = key.ValueOf(new CoapHostedProxyOptions());
        if (value != "none")
        {
            CoapHostedProxyOptions options = new();
            Assert.Empty(key.Set(options, key.IsList ? value.Split("; ") : [value]));
            Assert.Equal(value, key.ValueOf(options));
        }
    }

    [Theory]
    [MemberData(nameof(Paths))]
    public async Task The_largest_allowed_value_of_a_proxy_key_is_accepted(string path)
    {
        ConfigurationKey<CoapHostedProxyOptions> key = ProxyConfigurationKeys.Table.Keys.Single(key => key.Path == path);
        if (Largest().Match(key.Allowed) is { Success: true } largest)
        {
            CoapHostedProxyOptions options = new();
            Assert.Empty(key.Set(options, [largest.Groups["max"].Value]));
            await using CoapProxy proxy = new(options.Proxy);
        }
    }

    [GeneratedRegex(@"^(whole number|bytes \(.*\)), \d+ to (?<max>.+)$", RegexOptions.ExplicitCapture)]
    private static partial Regex Largest();

    public static TheoryData<string> Paths => [.. ProxyConfigurationKeys.Table.Keys.Select(key => key.Path)];

    private sealed class StubHandler : HttpMessageHandler
    {
        public ConcurrentQueue<string> Seen { get; } = [];

        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            string body = await request.Content!.ReadAsStringAsync(cancellationToken);
            Seen.Enqueue($"{request.RequestUri} {request.Content.Headers.ContentType} {body}");
            return new HttpResponseMessage(HttpStatusCode.NoContent);
        }
    }
}
