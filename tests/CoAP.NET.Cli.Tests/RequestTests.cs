using System.Collections.Concurrent;
using System.IO.Pipelines;
using CoAP.NET.Tests;

namespace CoAP.NET.Cli.Tests;

public sealed class RequestTests
{
    [Theory]
    [InlineData("/sub/grün.txt")]
    [InlineData("/sub/gr%C3%BCn.txt")]
    public async Task A_URI_may_contain_unescaped_characters(string path)
    {
        await using CoapServer server =
            await TestServer.StartAsync(server => server.MapGet("/sub/grün.txt", () => CoapResults.Text("green")));

        CliRun run = await CliHarness.RunAsync("get", server.LocalEndpoints[0].Origin() + path);

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal("green", run.Out);
    }

    [Fact]
    public async Task Get_writes_only_the_unchanged_payload()
    {
        await using CoapServer server = await TestServer.StartAsync();

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}binary");

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal([0, 1, 2, 0xff], run.OutBytes);
        Assert.Empty(run.Error);
    }

    [Fact]
    public async Task A_URI_without_a_scheme_uses_coap()
    {
        await using CoapServer server = await TestServer.StartAsync();

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}text"["coap://".Length..]);

        Assert.Equal("21.5", run.Out);
    }

    [Fact]
    public async Task Requests_are_sent_over_TCP()
    {
        await using CoapServer server = await TestServer.StartAsync(uri: "coap+tcp://127.0.0.1:0");

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}text", "-v", "--token", "0102", "--timeout", "30s");

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal("21.5", run.Out);
        run.HasError("2.05 Content  token 0102");
    }

    [Theory]
    [InlineData("put")]
    [InlineData("post")]
    [InlineData("fetch")]
    [InlineData("patch")]
    [InlineData("ipatch")]
    public async Task Every_method_sends_its_payload_with_its_format(string method)
    {
        string? seen = null;
        await using CoapServer server = await TestServer.StartAsync(server => server.Map(
            "/seen",
            [CoapMethod.Post, CoapMethod.Put, CoapMethod.Fetch, CoapMethod.Patch, CoapMethod.IPatch],
            (CoapRequestContext request) =>
            {
                seen = $"{request.Method} {request.ContentFormat} {request.GetText()}";
                return CoapResults.Changed();
            }));

        CliRun run = await CliHarness.RunAsync(method, $"{server.LocalEndpoints[0]}seen", "--payload", "{}", "--content-format", "json");

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal($"{method} application/json {{}}", seen, ignoreCase: true);
        Assert.Equal("2.04 Changed\n", run.Error);
        Assert.Empty(run.Out);
    }

    [Fact]
    public async Task Delete_shows_the_code()
    {
        await using CoapServer server = await TestServer.StartAsync(server => server.MapDelete("/x", () => CoapResults.Deleted()));

        CliRun run = await CliHarness.RunAsync("delete", $"{server.LocalEndpoints[0]}x");

        Assert.Equal((ExitCodes.Success, "2.02 Deleted\n"), (run.ExitCode, run.Error));
    }

    [Fact]
    public async Task A_2_01_response_is_shown_with_its_location()
    {
        await using CoapServer server = await TestServer.StartAsync(server => server.MapPost("/x", () => CoapResults.Created("/x/7")));

        CliRun run = await CliHarness.RunAsync("post", $"{server.LocalEndpoints[0]}x", "--payload", "a");

        Assert.Equal("2.01 Created  /x/7\n", run.Error);
    }

    [Fact]
    public async Task The_standard_input_is_sent_blockwise()
    {
        byte[] body = Encoding.ASCII.GetBytes(new string('y', 3000));
        await using CoapServer server = await TestServer.StartAsync();

        CliRun run = await new CliHarness { Input = body }
            .InvokeAsync("put", $"{server.LocalEndpoints[0]}echo", "--file", "-", "--block-size", "256");

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal(body, run.OutBytes);
    }

    [Theory]
    [InlineData("put", 1)]
    [InlineData("post", 3000)]
    [InlineData("fetch", 3000)]
    [InlineData("patch", 1)]
    [InlineData("ipatch", 3000)]
    [InlineData("put", 3000, "--repeat", "2")]
    public async Task A_redirected_input_is_the_payload(string method, int length, params string[] more)
    {
        byte[] body = Encoding.ASCII.GetBytes(new string('y', length));
        ConcurrentQueue<string> seen = [];
        await using CoapServer server = await StoreAsync(seen);

        CliRun run = await new CliHarness { Input = body }.InvokeAsync([method, $"{server.LocalEndpoints[0]}seen", "-t", "text", .. more]);

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal(more.Length > 0 ? 2 : 1, seen.Count);
        Assert.All(seen, text => Assert.Equal(Encoding.ASCII.GetString(body), text));
    }

    [Theory]
    [InlineData("put", false)]
    [InlineData("put", true)]
    [InlineData("post", false)]
    [InlineData("post", true)]
    [InlineData("fetch", true)]
    [InlineData("patch", true)]
    [InlineData("ipatch", true)]
    public async Task A_forgotten_payload_is_not_sent_as_an_empty_one(string method, bool isRedirected)
    {
        ConcurrentQueue<string> seen = [];
        await using CoapServer server = await StoreAsync(seen);
        string uri = $"{server.LocalEndpoints[0]}seen";

        CliRun run = await new CliHarness { Input = isRedirected ? [] : null }.InvokeAsync(method, uri);

        run.HasExitCode(ExitCodes.Usage);
        run.HasError("The request has no payload");
        run.HasError("An empty one is --payload ''.");
        Assert.Empty(seen);

        (await CliHarness.RunAsync(method, uri, "--payload", "")).HasExitCode(ExitCodes.Success);
        Assert.Equal("", Assert.Single(seen));
    }

    [Fact]
    public async Task The_tool_prints_that_it_waits_for_a_redirected_input()
    {
        ConcurrentQueue<string> seen = [];
        await using CoapServer server = await StoreAsync(seen);
        VirtualClock clock = new();
        Pipe input = new();
        CliHarness harness = new() { InputStream = input.Reader.AsStream(), TimeProvider = clock };

        Task<CliRun> running = harness.InvokeAsync("put", $"{server.LocalEndpoints[0]}seen");
        await Eventually.IsTrueAsync(() => clock.TimerCount > 0);
        clock.Advance(FromSeconds(5));
        await harness.WhenErrorAsync("Waiting for the payload from the standard input");
        await input.Writer.WriteAsync("late"u8.ToArray());
        await input.Writer.CompleteAsync();

        (await running).HasExitCode(ExitCodes.Success);
        Assert.Equal(["late"], seen);
    }

    [Fact]
    public async Task Options_are_sent_as_they_were_written()
    {
        string? seen = null;
        await using CoapServer server = await TestServer.StartAsync(server => server.MapGet("/seen", request =>
        {
            seen = string.Join("; ", Enumerable.Range(0, request.Options.Count)
                .Where(i => request.Options.NumberAt(i) != 11)
                .Select(i => $"{request.Options.NumberAt(i)}={Convert.ToHexStringLower(request.Options.ValueAt(i))}"));
            return CoapResults.Text("ok");
        }));

        CliRun run = await CliHarness.RunAsync(
            "get", $"{server.LocalEndpoints[0]}seen", "--option", "uri-query=a=b", "-O", "2048,text", "-O", "2050=0x0102", "-O",
            "2052=256", "--option", "2054=\"12\"", "--accept", "text", "--hop-limit", "9");

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal("15=613d62; 16=09; 17=; 2048=74657874; 2050=0102; 2052=0100; 2054=3132", seen);
    }

    [Fact]
    public async Task The_token_of_the_command_line_is_used_and_incremented_for_each_block()
    {
        await using CoapServer server = await TestServer.StartAsync();

        CliRun run = await CliHarness.RunAsync(
            "get", $"{server.LocalEndpoints[0]}large", "--token", "00ff", "--block-size", "1024", "-v", "--timeout", "30s");

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal(5000, run.OutBytes.Length);
        run.HasError("  GET  token 00ff");
        run.HasError("  GET  token 0100");
        run.HasError("2.05 Content  token 0103");
    }

    [Fact]
    public async Task If_Match_and_If_None_Match_are_sent()
    {
        await using CoapServer server = await TestServer.StartAsync(server =>
        {
            server.MapPut("/x",
                request => request.Options.IfMatch is [{ Length: 2 }] && !request.Options.IfNoneMatch
                    ? CoapResults.Changed()
                    : CoapResults.PreconditionFailed());
            server.MapGet("/x", request => request.Options.ETags.Count == 2 ? CoapResults.Status(CoapCode.Valid) : CoapResults.NotFound());
        });
        string uri = $"{server.LocalEndpoints[0]}x";

        Assert.Equal(ExitCodes.Success, (await CliHarness.RunAsync("put", uri, "--payload", "a", "--if-match", "0a0b")).ExitCode);
        Assert.Equal(ExitCodes.ClientError, (await CliHarness.RunAsync("put", uri, "--payload", "a", "--if-none-match")).ExitCode);
        Assert.Equal("2.03 Valid\n", (await CliHarness.RunAsync("get", uri, "--etag", "01", "--etag", "0x02")).Error);
    }

    [Fact]
    public async Task A_proxy_gets_the_target_URI_in_an_option()
    {
        string? seen = null;
        await using CoapServer server = await TestServer.StartAsync();
        CoapEndpointOptions options = new();
        options.Pipeline.Insert(CoapStageLinks.SerializerToMessaging,
            () => new System.Threading.Tasks.Dataflow.TransformBlock<CoapInbound, CoapInbound>(item =>
            {
                seen = $"{item.Message?.Options}";
                return item;
            }));
        await using CoapServer proxy = await TestServer.StartAsync(options: options);

        CliRun run = await CliHarness.RunAsync("get", "coap://example.org/a?b", "--proxy", proxy.LocalEndpoints[0].Origin());

        Assert.Equal("Proxy-Uri: coap://example.org/a?b", seen);
        Assert.NotEqual(ExitCodes.Success, run.ExitCode);
    }

    [Fact]
    public async Task A_request_is_repeated()
    {
        int count = 0;
        await using CoapServer server =
            await TestServer.StartAsync(server => server.MapGet("/count", () => CoapResults.Text($"{++count};")));

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}count", "--repeat", "3", "--interval", "0");

        Assert.Equal("1;2;3;", run.Out);
    }

    [Fact]
    public async Task A_request_with_No_Response_ends_when_it_was_acknowledged()
    {
        await using CoapServer server = await TestServer.StartAsync();

        CliRun run = await CliHarness.RunAsync("put", $"{server.LocalEndpoints[0]}echo", "--payload", "a", "--no-response", "all");

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal("The request is sent and expects no response.\n", run.Error);
    }

    [Fact]
    public async Task Requests_are_sent_from_the_address_of_the_command_line()
    {
        string? peer = null;
        await using CoapServer server = await TestServer.StartAsync(server => server.MapGet("/peer", request =>
        {
            peer = request.Peer.Address.ToString();
            return CoapResults.Text("ok");
        }));

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}peer", "--bind", "127.0.0.1");

        run.HasExitCode(ExitCodes.Success);
        peer.Begins("127.0.0.1:");
    }

    private static Task<CoapServer> StoreAsync(ConcurrentQueue<string> seen) => TestServer.StartAsync(server => server.Map(
        "/seen",
        [CoapMethod.Post, CoapMethod.Put, CoapMethod.Fetch, CoapMethod.Patch, CoapMethod.IPatch],
        (CoapRequestContext request) =>
        {
            seen.Enqueue(request.GetText());
            return CoapResults.Changed();
        }));
}
