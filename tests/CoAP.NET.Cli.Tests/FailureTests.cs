namespace CoAP.NET.Cli.Tests;

/// <summary>Exit codes, and the one sentence that goes with them.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class FailureTests
{
    [Fact]
    public async Task A_4_xx_response_is_reported_with_its_diagnostic()
    {
        await using CoapServer server =
            await TestServer.StartAsync(server => server.MapGet("/no", () => CoapResults.Forbidden("not\u001b[31m for you")));

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}no");

        run.HasExitCode(ExitCodes.ClientError);
        Assert.Equal($"coap: {server.LocalEndpoints[0]}no answered 4.03 Forbidden: not␛[31m for you\n", run.Error);
        Assert.Empty(run.Out);
    }

    [Fact]
    public async Task A_5_xx_response_has_a_separate_exit_code()
    {
        await using CoapServer server = await TestServer.StartAsync();

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}fails");

        run.HasExitCode(ExitCodes.ServerError);
        run.HasError("answered 5.00 Internal Server Error");
    }

    [Fact]
    public async Task An_unanswered_request_ends_with_the_timeout_exit_code()
    {
        using Socket silent = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        silent.Bind(new IPEndPoint(IPAddress.Loopback, 0));

        CliRun run = await CliHarness.RunAsync("get", $"coap://{silent.LocalEndPoint}/x", "--ack-timeout", "1ms", "--max-retransmit", "1");

        run.HasExitCode(ExitCodes.Timeout);
        run.Error.Begins("coap: ");
        run.HasError("\nhint: ");
    }

    [Fact]
    public async Task Retransmissions_are_reported_and_counted()
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock);
        using ScriptedPeer silent = network.CreatePeer(InMemoryNetwork.Address("192.0.2.1:5683"));
        CliHarness harness = new()
        {
            TimeProvider = clock,
            CreateClient = options =>
            {
                CoapClient client = new(options);
                client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.2:40000")));
                return client;
            },
        };

        CliRun run = await clock.AdvanceUntilAsync(harness.InvokeAsync("get", "192.0.2.1/x", "-v", "--max-retransmit", "2"),
            FromMinutes(10));

        run.HasExitCode(ExitCodes.Timeout);
        run.HasError("retransmission 2");
        run.HasError("3 sent, 0 received, 2 retransmissions");
    }

    [Fact]
    public async Task The_error_for_an_unanswered_handshake_does_not_suggest_NSTART()
    {
        using Socket silent = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        silent.Bind(new IPEndPoint(IPAddress.Loopback, 0));

        CliRun run = await CliHarness.RunAsync("get", $"coaps://{silent.LocalEndPoint}/x", "--psk", "a:b", "--timeout", "100ms");

        run.HasExitCode(ExitCodes.Timeout);
        run.HasError("hint: The default port is 5683 for coap");
        Assert.DoesNotContain("nstart", run.Error, OrdinalIgnoreCase);
    }

    [Fact]
    public async Task A_closed_port_is_a_network_error()
    {
        // Taken, so that nobody else listens there either.
        using Socket deaf = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        deaf.Bind(new IPEndPoint(IPAddress.Loopback, 0));

        CliRun run = await CliHarness.RunAsync("get", $"coap+tcp://{deaf.LocalEndPoint}/x", "--timeout", "5m");

        run.HasExitCode(ExitCodes.Network);
    }

    [Theory]
    [InlineData("get")]
    [InlineData("get", "coap://[::1")]
    [InlineData("get", "http://127.0.0.1/")]
    [InlineData("get", "coap://127.0.0.1/", "--block-size", "100")]
    [InlineData("get", "coap://127.0.0.1/", "--accept", "nonsense")]
    [InlineData("get", "coap://127.0.0.1/", "--timeout", "soon")]
    [InlineData("get", "coap://127.0.0.1/", "--timeout", "0")]
    [InlineData("discover", "coap://127.0.0.1/", "--timeout", "0s")]
    [InlineData("ping", "coap://127.0.0.1/", "--timeout", "0ms")]
    [InlineData("get", "coap://127.0.0.1/", "--ack-timeout", "0")]
    [InlineData("get", "coap://127.0.0.1/", "--option", "Nonsense=1")]
    [InlineData("get", "coap://127.0.0.1/", "--option", "Max-Age=soon")]
    [InlineData("get", "coap://127.0.0.1/", "--option", "Uri-Query=0x1")]
    [InlineData("get", "coap://127.0.0.1/", "--token", "010203040506070809")]
    [InlineData("get", "coap://127.0.0.1/", "--json", "--raw")]
    [InlineData("get", "coap://127.0.0.1/", "--no-response", "3")]
    [InlineData("get", "coap://127.0.0.1/", "--bind", "somewhere")]
    [InlineData("get", "coap://127.0.0.1/", "--key", "x.pem")]
    [InlineData("put", "coap://127.0.0.1/", "--payload", "a", "--hex", "00")]
    [InlineData("put", "coap://127.0.0.1/")]
    [InlineData("post", "coap://127.0.0.1/", "--content-format", "json")]
    [InlineData("fetch", "coap://127.0.0.1/")]
    [InlineData("patch", "coap://127.0.0.1/", "--repeat", "2")]
    [InlineData("ipatch", "coap://127.0.0.1/")]
    [InlineData("get", "coap://224.0.1.187/", "--output", "x")]
    [InlineData("get", "coap://127.0.0.1/", "--color", "sometimes")]
    [InlineData("completion", "basch")]
    [InlineData("nonsense")]
    public async Task An_invalid_command_line_is_a_usage_error(params string[] args)
    {
        CliRun run = await CliHarness.RunAsync(args);

        run.HasExitCode(ExitCodes.Usage);
        run.Error.Begins("coap: ");
        run.HasError("\nhint: ");
        Assert.DoesNotContain('\t', run.Error);
        Assert.Empty(run.Out);
    }

    [Theory]
    [InlineData("gett", "coap: 'gett' is not a command.\nhint: Did you mean coap get? coap --help lists the commands.\n")]
    [InlineData("obsevre", "coap: 'obsevre' is not a command.\nhint: Did you mean coap observe? coap --help lists the commands.\n")]
    [InlineData("frobnicate", "coap: 'frobnicate' is not a command.\nhint: coap --help lists the commands.\n")]
    [InlineData("coap://[::1]/x",
        "coap: 'coap://[::1]/x' is not a command.\nhint: Did you mean coap get coap://[::1]/x? coap --help lists the commands.\n")]
    public async Task A_word_that_is_no_command_is_reported_once(string word, string error)
    {
        CliRun run = await CliHarness.RunAsync(word, "more");

        run.HasExitCode(ExitCodes.Usage);
        Assert.Equal(error, run.Error);
    }

    [Theory]
    [InlineData("--jsn", "Did you mean --json? ")]
    [InlineData("--tiemout=3", "Did you mean --timeout? ")]
    [InlineData("--verbos", "Did you mean --verbose? ")]
    [InlineData("--frobnicate", "")]
    public async Task The_error_for_an_unknown_option_suggests_the_intended_option(string option, string meant)
    {
        CliRun run = await CliHarness.RunAsync("get", "coap://[::1]/x", option);

        run.HasExitCode(ExitCodes.Usage);
        Assert.Equal($"coap: '{option}' is not an option of coap get.\nhint: {meant}coap get --help lists the options.\n", run.Error);
    }

    [Theory]
    [InlineData("coap", "use coaps:// with --psk ID:KEY, or with --cert FILE and --key FILE; or --oscore FILE or --edhoc FILE.")]
    [InlineData("coap+tcp", "use coaps+tcp:// with --cert FILE and --key FILE")]
    public async Task The_hint_after_4_01_explains_how_to_authenticate_over_the_scheme_of_the_request(string scheme, string hint)
    {
        await using CoapServer server = await TestServer.StartAsync(server => server.MapGet("/closed", () => CoapResults.Unauthorized()),
            $"{scheme}://127.0.0.1:0");

        CliRun run = await CliHarness.RunAsync("get", $"{server.LocalEndpoints[0]}closed");

        run.HasExitCode(ExitCodes.ClientError);
        run.HasError(hint);
    }

    [Fact]
    public async Task Problem_details_are_included_in_the_error_message()
    {
        await using CoapServer server = await TestServer.StartAsync(server =>
        {
            server.MapGet("/plain", () => CoapResults.Problem(CoapCode.BadRequest, "Bad Request", "Not JSON of the expected form."));
            server.MapGet("/more", () => CoapResults.Problem(CoapCode.BadOption, new CoapProblem
            {
                Title = "Too new",
                Instance = "/problems/7",
                UnprocessedOptions = { 65000 },
                NamedEntries = { ["tag:example"] = new byte[] { 0xa1, 0x01, 0x02 } },
            }));
        });
        string uri = server.LocalEndpoints[0].Origin();

        CliRun text = await CliHarness.OnTerminal().InvokeAsync("get", $"{uri}/plain", "--color", "never");
        CliRun more = await CliHarness.OnTerminal().InvokeAsync("get", $"{uri}/more", "--color", "never");
        CliRun raw = await CliHarness.RunAsync("get", $"{uri}/more");

        text.HasExitCode(ExitCodes.ClientError);
        text.Error.Begins($"coap: {uri}/plain answered 4.00 Bad Request: Not JSON of the expected form.\n");
        Assert.Empty(text.Out);
        more.Error.Begins($"coap: {uri}/more answered 4.02 Bad Option: Too new\n");
        Assert.Equal("instance: /problems/7\nunprocessed options: 65000\ntag:example: {1: 2}\n", more.Out);
        Assert.True(CoapProblem.TryParse(raw.OutBytes, out CoapProblem? problem, out _));
        Assert.Equal("Too new", problem.Title);
        raw.HasError("Too new");
    }

    [Fact]
    public async Task No_further_request_is_sent_to_a_server_that_asked_the_client_to_wait()
    {
        await using CoapServer server =
            await TestServer.StartAsync(server => server.MapGet("/busy", () => CoapResults.TooManyRequests(FromSeconds(60))));
        string uri = $"{server.LocalEndpoints[0]}busy";

        CliRun run = await CliHarness.RunAsync("get", uri, "--repeat", "2", "--interval", "0");

        run.HasExitCode(ExitCodes.ClientError);
        run.HasError($"coap: {uri} asked clients to wait (4.29 Too Many Requests), so the command sent nothing.\nhint: Try again in ");
        run.HasNoError("RetryAfter");
    }

    [Theory]
    [InlineData("coap://[::1", false)]
    [InlineData("coap://host/%zz", false)]
    [InlineData("http://host/", true)]
    public async Task The_error_for_an_invalid_URI_lists_the_schemes_only_when_its_scheme_is_wrong(string uri, bool isScheme)
    {
        CliRun run = await CliHarness.RunAsync("get", uri);

        run.HasExitCode(ExitCodes.Usage);
        Assert.Equal(isScheme, run.Error.Contains("coaps+ws://"));
    }

    [Fact]
    public async Task A_missing_file_is_reported_before_any_request_is_sent()
    {
        CliRun run = await CliHarness.RunAsync("put", "coap://127.0.0.1/x", "--file", "/nowhere/at/all");

        run.HasExitCode(ExitCodes.File);
        run.HasError("/nowhere/at/all");
    }

    [Fact]
    public async Task The_error_for_a_missing_output_folder_shows_the_path_as_it_was_written()
    {
        CliRun run = await CliHarness.RunAsync("get", "coap://127.0.0.1/x", "-o", "/nowhere/file.bin");

        run.HasExitCode(ExitCodes.File);
        run.Error.Begins("coap: /nowhere/file.bin cannot be written: there is no folder ");
        run.HasNoError(".etag");
    }

    [Fact]
    public async Task A_signal_ends_a_waiting_request()
    {
        using Socket silent = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        silent.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        using CancellationTokenSource stop = new();
        CliHarness harness = new() { Stopped = stop.Token };
        Task<CliRun> running = harness.InvokeAsync("get", $"coap://{silent.LocalEndPoint}/x", "-v");
        await harness.WhenErrorAsync("GET  token");

        await stop.CancelAsync();
        CliRun run = await running.WaitAsync(FromMinutes(2));

        run.HasExitCode(ExitCodes.Cancelled);
        run.HasError("coap: Interrupted.");
    }
}
