namespace CoAP.NET.Hosting.Tests.Proxies;

/// <summary>Proxies by configuration.</summary>
public sealed partial class HostedProxyTests : HostTest
{
    [Fact]
    public async Task A_forward_and_a_reverse_proxy_are_configured_and_ask_where_they_may()
    {
        await using CoapServer origin = new();
        origin.Listen("coap://127.0.0.1:0");
        origin.MapGet("/state", () => "on");
        await origin.StartAsync();
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Endpoints", "coap://127.0.0.1:0"), ("Coap:Proxy:Forward", "true"),
            ("Coap:Proxy:AllowedNetworks", "127.0.0.0/8:*"), ("Coap:Proxy:Names", "gateway.example.com"),
            ("Coap:Proxy:Reverse:0:Path", "/floor/{*path}"), ("Coap:Proxy:Reverse:0:Target", origin.LocalEndpoints[0]));
        builder.Services.AddCoapServer().AddCoapProxy(options => options.Proxy.Identifier = "gw1").MapGet("/own", () => "own");
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();

        await Within(client.GetAsync(AddressOf(host) + "/floor/state")).Says("on");
        CoapRequest named = new(CoapMethod.Get, AddressOf(host));
        named.Options.Add(new ProxyUri(origin.LocalEndpoints[0] + "/state"));
        await Within(client.SendAsync(named)).Says("on");
        CoapRequest own = new(CoapMethod.Get, AddressOf(host));
        own.Options.Add(new ProxyUri("coap://gateway.example.com/own"));
        await Within(client.SendAsync(own)).Says("own");
        CoapRequest denied = new(CoapMethod.Get, AddressOf(host));
        denied.Options.Add(new ProxyUri("coap://[2001:db8::1]/state"));
        await Within(client.SendAsync(denied)).Gives(CoapCode.ProxyingNotSupported);
        Assert.Equal(2, host.Services.GetRequiredService<CoapProxy>().GetCounters().Forwarded);
    }

    [Fact]
    public async Task Hosts_are_allowed_by_their_names()
    {
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Endpoints", "coap://127.0.0.1:0"), ("Coap:Proxy:Forward", "true"),
            ("Coap:Proxy:AllowedHosts", "lamp.example"));
        builder.Services.AddCoapServer().AddCoapProxy(options => options.Proxy.ConfigureClient = endpoint =>
            endpoint.ResolveHost = (_, _) => throw new SocketException((int)SocketError.HostNotFound));
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();

        // The proxy looks for the host that it may ask, which is not there.
        await AskAsync("lamp.example").Gives(CoapCode.BadGateway);
        await AskAsync("other.example").Gives(CoapCode.ProxyingNotSupported);

        Task<CoapResponse> AskAsync(string name)
        {
            CoapRequest request = new(CoapMethod.Get, AddressOf(host));
            request.Options.Add(new ProxyUri($"coap://{name}/state"));
            return Within(client.SendAsync(request));
        }
    }

    [Fact]
    public async Task Whether_links_and_hops_are_rewritten_is_configured()
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
    public async Task A_server_with_a_name_has_HTTP_back_ends_of_its_own_section()
    {
        using StubHandler stub = new();
        HostApplicationBuilder builder = Builder(
            ("Coap:Servers:field:Endpoints", "coap://127.0.0.1:0"),
            ("Coap:Proxies:field:HttpBackends:0:Path", "/readings"),
            ("Coap:Proxies:field:HttpBackends:0:Target", "https://api.example.com/readings"),
            ("Coap:Proxies:field:HttpBackends:0:ConvertsJson", "true"),
            ("Coap:Proxies:field:AllowSecuredTargetsToAnyone", "true"));
        builder.Services.AddCoapServer("field").AddCoapProxy(options =>
            options.ConfigureHttp = (http, _) => http.Client = () => new HttpClient(stub, disposeHandler: false));
        IHost host = await StartAsync(builder);
        await using CoapClient client = new();

        CoapResponse response = await Within(client.PostAsync(
            AddressOf(host, "field") + "/readings", new CoapContent(Convert.FromHexString("a1617401"), CoapContentFormat.Cbor)));

        Assert.Equal(CoapCode.Changed, response.Code);
        Assert.Equal("https://api.example.com/readings application/json {\"t\":1}", Assert.Single(stub.Seen));
    }

    [Fact]
    public async Task All_that_is_wrong_is_told_with_its_key_and_without_secrets()
    {
        HostApplicationBuilder builder = Builder(
            ("Coap:Proxy:HopLimit", "300"), ("Coap:Proxy:Name", "x"), ("Coap:Proxy:IdentityKey", "too short"),
            ("Coap:Proxy:AllowedHosts", "a b"), ("Coap:Proxy:AllowedNetworks", "10.0.0.0/8"), ("Coap:Proxy:Identifier", "g w"),
            ("Coap:Proxy:MaxBodySize", "1073741825"),
            ("Coap:Proxy:Reverse:0:Path", "floor"), ("Coap:Proxy:HttpBackends:0:Path", "/x"),
            ("Coap:Proxy:HttpBackends:0:Target", "coap://x"), ("Coap:Proxy:HttpBackends:0:PollInterval", "10ms"));
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
            "Coap:Proxy:MaxBodySize = '1073741825': allowed is: bytes (B, KiB, MiB, GiB), 1 to 1 GiB", failures);
        Assert.Contains("Coap:Proxy:Reverse:0:Path = 'floor': allowed is: path that begins with a slash", failures);
        Assert.Contains("Coap:Proxy:Reverse:0:Target is missing. Set it to the URI to forward to.", failures);
        Assert.Contains(
            "Coap:Proxy:HttpBackends:0:Target = 'coap://x': allowed is: absolute URI of HTTP such as https://api.example.com/devices",
            failures);
        Assert.Contains(failures, failure => failure.StartsWith("Coap:Proxy:HttpBackends:0:PollInterval = '10ms': ",
            Ordinal));
        Assert.Contains("Coap:Proxy has allowed targets of a forward proxy, but there is none. Set Coap:Proxy:Forward to true.", failures);
    }

    [Fact]
    public async Task A_path_that_is_taken_is_told_with_its_key()
    {
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Endpoints", "coap://127.0.0.1:0"), ("Coap:Proxy:Reverse:0:Path", "/floor"),
            ("Coap:Proxy:Reverse:0:Target", "coap://127.0.0.1"));
        builder.Services.AddCoapServer().AddCoapProxy().MapGet("/floor", () => "own");
        string[] failures = await StartFailuresAsync(builder);
        Assert.StartsWith("Coap:Proxy:Reverse:0 is not a valid path to serve. ", Assert.Single(failures), Ordinal);
    }

    [Theory]
    [MemberData(nameof(Paths))]
    public void The_default_of_a_key_can_be_written_and_changes_nothing(string path)
    {
        ConfigurationKey<CoapHostedProxyOptions> key = ProxyKeys.Table.Keys.Single(key => key.Path == path);
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
    public async Task The_largest_that_a_key_allows_makes_a_proxy(string path)
    {
        ConfigurationKey<CoapHostedProxyOptions> key = ProxyKeys.Table.Keys.Single(key => key.Path == path);
        if (Largest().Match(key.Allowed) is { Success: true } largest)
        {
            CoapHostedProxyOptions options = new();
            Assert.Empty(key.Set(options, [largest.Groups["max"].Value]));
            await using CoapProxy proxy = new(options.Proxy);
        }
    }

    [GeneratedRegex(@"^(whole number|bytes \(.*\)), \d+ to (?<max>.+)$", RegexOptions.ExplicitCapture)]
    private static partial Regex Largest();

    public static TheoryData<string> Paths => [.. ProxyKeys.Table.Keys.Select(key => key.Path)];

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
