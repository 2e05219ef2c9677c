namespace CoAP.NET.Cli.Tests.Discovering;

[Collection(VirtualTimeCollection.Name)]
public sealed class DiscoverTests
{
    [Fact]
    public async Task Resources_are_drawn_as_a_tree()
    {
        await using CoapServer server = await StartAsync();
        string uri = server.LocalEndpoints[0].Origin();

        CliRun run = await CliHarness.RunAsync("discover", uri);

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal(
            $"""
            {uri}
            ├── about  ct=text/plain;charset=utf-8 "All of it"
            └── sensors/  rt=core.s
                ├── light  rt=light if=sensor ct=application/senml+json,application/senml+cbor obs
                └── temp  rt=temperature,celsius sz=2000 rel=item

            """,
            run.Out);
        Assert.Equal(run.Out, (await CliHarness.RunAsync("discover", uri + "/")).Out);
    }

    [Fact]
    public async Task A_query_filters_the_resources()
    {
        await using CoapServer server = await StartAsync();
        string uri = server.LocalEndpoints[0].Origin();

        CliRun run = await CliHarness.RunAsync("discover", uri, "--query", "rt=temp*");

        Assert.Equal($"{uri}\n└── sensors/\n    └── temp  rt=temperature,celsius sz=2000 rel=item\n", run.Out);
        (await CliHarness.RunAsync("discover", uri, "--query", "rt=none")).Error.Mentions("The list is empty.");
        Assert.Equal(ExitCodes.Usage, (await CliHarness.RunAsync("discover", uri, "--query", "temp")).ExitCode);
    }

    [Fact]
    public async Task The_query_of_a_URI_without_a_path_is_a_filter_too()
    {
        await using CoapServer server = await StartAsync();
        string uri = server.LocalEndpoints[0].Origin();
        string expected = $"{uri}\n└── sensors/\n    └── temp  rt=temperature,celsius sz=2000 rel=item\n";

        Assert.Equal(expected, (await CliHarness.RunAsync("discover", $"{uri}?rt=temp*")).Out);
        Assert.Equal(expected, (await CliHarness.RunAsync("discover", $"{uri}/?rt=temp*")).Out);
        Assert.Equal(expected, (await CliHarness.RunAsync("discover", $"{uri}?sz=2000", "--query", "rt=temp*")).Out);
    }

    [Fact]
    public async Task An_error_is_reported_with_the_URI_and_the_diagnostic_of_the_server()
    {
        await using CoapServer server =
            await TestServer.StartAsync(server => server.MapGet("/closed", () => CoapResults.Forbidden("not for you")));

        CliRun run = await CliHarness.RunAsync("discover", $"{server.LocalEndpoints[0]}closed");

        run.HasExitCode(ExitCodes.ClientError);
        Assert.Equal($"coap: {server.LocalEndpoints[0]}closed answered 4.03 Forbidden: not for you\n", run.Error);
    }

    [Fact]
    public async Task JSON_output_has_every_link_with_its_absolute_URI()
    {
        await using CoapServer server = await StartAsync();
        string uri = server.LocalEndpoints[0].Origin();

        CliRun run = await CliHarness.RunAsync("discover", uri, "--json", "--query", "if=sensor");

        JsonElement link = JsonDocument.Parse(run.Out).RootElement.GetProperty("links").EnumerateArray().Single();
        Assert.Equal("/sensors/light", link.TextOf("target"));
        Assert.Equal($"{uri}/sensors/light", link.TextOf("uri"));
        Assert.Equal([110, 112], link.GetProperty("ct").EnumerateArray().Select(ct => ct.GetInt32()));
        Assert.True(link.GetProperty("obs").GetBoolean());
    }

    [Fact]
    public async Task A_directory_is_queried_at_its_path_and_lists_other_servers()
    {
        await using CoapServer server =
            await TestServer.StartAsync(server => server.MapGet("/rd-lookup/res", request => request.Queries.Contains("et=oic")
                ? CoapResults.Content(
                    CoapLinkFormat.ToContent([new CoapLink("coap://[2001:db8::2]/light?x=1"), new CoapLink("coap://[2001:db8::1]/t"),
                        new CoapLink("coap://[2001:db8::1]/a//b/")]))
                : CoapResults.BadRequest()));

        CliRun run = await CliHarness.RunAsync("discover", $"{server.LocalEndpoints[0]}rd-lookup/res", "--query", "et=oic");

        Assert.Equal(
            """
            coap://[2001:db8::1]
            ├── a/
            │   └── b/
            └── t
            coap://[2001:db8::2]
            └── light?x=1

            """,
            run.Out);
    }

    [Fact]
    public async Task A_missing_resource_or_a_response_that_is_not_link_format_is_an_error()
    {
        await using CoapServer server = await TestServer.StartAsync(server =>
        {
            server.MapGet("/escape",
                () => CoapResults.Content(new CoapContent("</a>;title=\"\u001b[2J\""u8.ToArray(), CoapContentFormat.LinkFormat)));
            server.MapGet("/broken", () => CoapResults.Content(new CoapContent("{\"t\":21.50}"u8.ToArray(), CoapContentFormat.LinkFormat)));
        });
        string uri = server.LocalEndpoints[0].Origin();

        CliRun text = await CliHarness.RunAsync("discover", $"{uri}/broken");
        CliRun none = await CliHarness.RunAsync("discover", $"{uri}/none");
        CliRun escape = await CliHarness.RunAsync("discover", $"{uri}/escape");

        text.HasExitCode(ExitCodes.Protocol);
        none.HasExitCode(ExitCodes.ClientError);
        Assert.DoesNotContain('\u001b', escape.Out);
        Assert.Equal(ExitCodes.Usage, (await CliHarness.RunAsync("discover")).ExitCode);
        Assert.Equal(ExitCodes.Usage, (await CliHarness.RunAsync("discover", uri, "--multicast")).ExitCode);
    }

    [Theory]
    [InlineData("coap://224.0.1.187")]
    [InlineData("--multicast")]
    public async Task Each_member_of_a_group_has_its_tree(string argument)
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock);
        await using CoapServer one = await MemberAsync(network, "192.0.2.1:5683", "/one");
        await using CoapServer two = await MemberAsync(network, "192.0.2.2:5683", "/two");
        CliHarness harness = new()
        {
            TimeProvider = clock,
            CreateClient = options =>
            {
                CoapClient client = new(options);
                client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.99:40000")));
                return client;
            },
        };

        CliRun run = await clock.AdvanceUntilAsync(harness.InvokeAsync("discover", argument, "--max-answers", "2"),
            FromMinutes(5));

        run.HasExitCode(ExitCodes.Success);
        run.HasOut("coap://192.0.2.1\n└── one\n");
        run.HasOut("coap://192.0.2.2\n└── two\n");
    }

    private static async Task<CoapServer> MemberAsync(InMemoryNetwork network, string address, string path)
    {
        CoapServer server = new(new CoapEndpointOptions { TimeProvider = network.TimeProvider });
        CoapTransport transport = network.CreateTransport(InMemoryNetwork.Address(address));
        server.Endpoint.AddTransport(transport);
        server.JoinGroups();
        server.MapGet(path, () => CoapResults.Text("x"));
        await server.StartAsync();
        network.JoinGroup(InMemoryNetwork.Address(address), InMemoryNetwork.Address("224.0.1.187:5683"));
        return server;
    }

    private static async Task<CoapServer> StartAsync()
    {
        CoapServer server = new();
        server.Listen("coap://127.0.0.1:0");
        server.MapGet("/sensors/temp", () => CoapResults.Text("1")).WithResourceType("temperature", "celsius").WithSize(2000)
            .WithAttribute("rel", "item");
        server.MapGet("/sensors/light", () => CoapResults.Text("1")).WithResourceType("light").WithInterface("sensor")
            .WithContentFormat(CoapContentFormat.SenmlJson, CoapContentFormat.SenmlCbor).Observable();
        server.MapGet("/sensors", () => CoapResults.Text("1")).WithResourceType("core.s");
        server.MapGet("/about", () => CoapResults.Text("1")).WithTitle("All of it").WithContentFormat(CoapContentFormat.TextPlain);
        await server.StartAsync();
        return server;
    }
}
