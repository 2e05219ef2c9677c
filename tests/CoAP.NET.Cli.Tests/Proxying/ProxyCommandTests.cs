using System.Diagnostics;
using CoAP.NET.Resources;

namespace CoAP.NET.Cli.Tests.Proxying;

public sealed class ProxyCommandTests : IAsyncLifetime
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    private readonly CoapServer _origin = new();

    private string Origin => _origin.LocalEndpoints[0].Origin();

    public async ValueTask InitializeAsync()
    {
        _origin.Listen("coap://127.0.0.1:0");
        _origin.MapGet("/lamp", () => CoapResults.Text("on"));
        _origin.MapGet("/{*path}", request => CoapResults.Text($"at {request.Path}"));
        await _origin.StartAsync();
    }

    public async ValueTask DisposeAsync() => await _origin.DisposeAsync();

    [Fact]
    public async Task Clients_reach_allowed_targets_through_the_proxy_and_each_request_is_logged()
    {
        (CliRun run, CliRun proxy) = await RunAsync(
            ["--allow", "127.0.0.0/8:*"], uri => ["get", $"{Origin}/x", "--proxy", uri]);

        run.HasExitCode(0);
        Assert.Equal("at /x", run.Out.TrimEnd());
        proxy.HasExitCode(0);
        proxy.HasError($"GET {Origin}/x");
        proxy.HasError("2.05");
    }

    [Fact]
    public async Task A_target_that_is_not_allowed_is_answered_5_05()
    {
        (CliRun run, _) = await RunAsync(["--allow", "sensor.example.com"], uri => ["get", $"{Origin}/x", "--proxy", uri]);

        run.HasExitCode(5);
        run.HasError("5.05");
    }

    [Fact]
    public async Task A_mapped_path_forwards_to_its_server()
    {
        (CliRun run, _) = await RunAsync(["--map", $"/floor1={Origin}/base"], uri => ["get", $"{uri.TrimEnd('/')}/floor1/lamp"]);

        Assert.Equal("at /base/lamp", run.Out.TrimEnd());
    }

    [Theory]
    [InlineData("/h")]
    [InlineData("/help")]
    public async Task A_mapped_path_may_start_like_an_option(string path)
    {
        (CliRun run, _) = await RunAsync(["--map", $"{path}={Origin}/base"],
            uri => ["get", $"{uri.TrimEnd('/')}{path}/lamp"]);

        Assert.Equal("at /base/lamp", run.Out.TrimEnd());
    }

    [Fact]
    public async Task A_proxy_lists_its_mapped_paths()
    {
        string listed = "";
        (CliRun run, _) = await RunAsync(["--map", $"/floor1={Origin}/base", "--map", $"/größe/2={Origin}"], uri =>
        {
            listed = uri.TrimEnd('/');
            return ["get", $"{listed}/nowhere"];
        });
        (CliRun list, _) = await RunAsync(["--map", $"/floor1={Origin}/base", "--map", $"/größe/2={Origin}"],
            uri => ["get", $"{uri.TrimEnd('/')}/.well-known/core"]);
        (CliRun root, _) = await RunAsync(["--map", $"/floor1={Origin}"], uri => ["get", $"{uri.TrimEnd('/')}/floor1"]);

        run.HasError($"coap discover {listed} lists the resources");
        Assert.Equal("</floor1>,</gr%C3%B6%C3%9Fe/2>", list.Out);
        Assert.Equal("at /", root.Out);
    }

    [Fact]
    public async Task The_messages_of_both_sides_are_shown_when_they_are_requested()
    {
        (CliRun run, CliRun proxy) = await RunAsync(
            ["--allow", "127.0.0.0/8:*", "-v", "--no-verify"], uri => ["get", $"{Origin}/x", "--proxy", uri]);

        Assert.Equal("at /x", run.Out.TrimEnd());
        string[] lines = proxy.Error.Split('\n');
        Assert.Contains(lines, line => line.StartsWith("< ", Ordinal) && line.Contains("GET"));
        Assert.Contains(lines, line => line.StartsWith(">   Uri-Path: x", Ordinal));
        Assert.Contains(lines, line => line.StartsWith("> ", Ordinal) && line.Contains("2.05")
            && line.EndsWith(" ms", Ordinal));
        proxy.HasError("0 retransmissions");
    }

    [Fact]
    public async Task A_body_that_exceeds_the_streaming_limit_is_answered_5_02()
    {
        _origin.MapGet("/large", () => CoapResults.Bytes(new byte[100_000]));
        (CliRun run, _) = await RunAsync(
            ["--allow", "127.0.0.0/8:*", "--max-streamed-body", "80000"], uri => ["get", $"{Origin}/large", "--proxy", uri]);

        run.HasExitCode(5);
        run.HasError("5.02");
    }

    [Theory]
    [InlineData(true, 10)]
    [InlineData(false, 1050)]
    public async Task Proxy_Scheme_is_used_for_a_proxy_without_Proxy_Uri_and_for_a_long_URI(bool isRefused, int length)
    {
        List<string> seen = [];
        await using CoapServer proxy = new();
        proxy.Listen("coap://127.0.0.1:0");
        proxy.MapProxy(new CoapProxyNames(), (request, _) =>
        {
            seen.Add(CoapUri.ComposeRequestUri(request.Message, "coap", request.Peer.LocalAddress));
            bool isKnown = request.Options.ProxyUri is null;
            return ValueTask.FromResult(isKnown ? CoapResults.Text("here") : CoapResults.Status(CoapCode.NotImplemented));
        });
        await proxy.StartAsync();
        string target = $"coap://sensor.example.com/{string.Join('/', Enumerable.Repeat("abcdefghi", length / 10))}?q";

        string named = proxy.LocalEndpoints[0].Origin().Replace("127.0.0.1", "localhost");

        CliRun run = await CliHarness.RunAsync("get", target, "--proxy", named);

        Assert.Equal("here", run.Out.TrimEnd());
        Assert.All(seen, uri => Assert.Equal(target, uri));
        Assert.Equal(isRefused ? 2 : 1, seen.Count);
    }

    [Theory]
    [InlineData("needs targets")]
    [InlineData("neither a host", "--allow", "a b")]
    [InlineData("is not a path with a URI", "--map", "floor1")]
    [InlineData("WebSockets", "--allow", "x.example", "--listen", "coap+ws://[::1]")]
    [InlineData("without a space", "--allow", "x.example", "--identifier", "a b")]
    [InlineData("is not a host", "--allow", "x.example", "--name", "a/b")]
    [InlineData("names a resource", "--allow", "x.example", "--next", "coap://gateway.example/path")]
    [InlineData("Give one of them", "--allow", "x.example", "--upstream-psk", "gw:secret", "--upstream-psk-file", "file")]
    [InlineData("Write ID:KEY", "--allow", "x.example", "--upstream-psk", "secret")]
    [InlineData("number from 1 to 255", "--allow", "x.example", "--hop-limit", "0")]
    [InlineData("number from 1 to 1073741824", "--allow", "x.example", "--max-body", "1073741825")]
    [InlineData("number from 1 to 1073741824", "--allow", "x.example", "--max-streamed-body", "2000000000")]
    public async Task Invalid_proxy_options_are_refused(string expected, params string[] args)
    {
        string[] listen = args.Contains("--listen") ? [] : ["--listen", "coap://127.0.0.1:0"];
        CliRun run = await CliHarness.RunAsync(["proxy", .. listen, .. args]);

        run.HasExitCode(ExitCodes.Usage);
        run.HasError(expected);
        run.HasNoError("secret");
        run.HasNoError("(Parameter");
    }

    [Theory]
    [InlineData("a proxy URI with http is for HTTP", "curl 'http://gateway.example/hc/coap://x/y'", "coap://x/y",
        "http://gateway.example/hc/")]
    [InlineData("a proxy is a host", "--proxy coap://gateway.example", "coap://x/y", "coap://gateway.example/path")]
    [InlineData("unprotected", "coaps+tcp", "coaps://x/y", "coap://192.0.2.1")]
    [InlineData("unprotected", "coaps+tcp", "https://x/y", "coap+tcp://gateway.example")]
    [InlineData("user information", "", "http://somebody:secret@x/", "coap://192.0.2.1")]
    public async Task The_error_for_a_request_that_cannot_use_a_proxy_says_what_to_do(
        string expected, string hint, string uri, string proxy)
    {
        foreach (string command in (string[])["get", "observe"])
        {
            CliRun run = await CliHarness.RunAsync(command, uri, "--proxy", proxy);

            run.HasExitCode(ExitCodes.Usage);
            run.HasError(expected);
            run.HasError(hint);
            run.HasNoError("secret");
            run.HasNoError("(Parameter");
        }
    }

    [Fact]
    public async Task An_HTTP_server_is_reached_through_a_proxy_with_HTTP_enabled()
    {
        await using HttpOrigin http = new();

        (CliRun named, CliRun proxy) = await RunAsync(
            ["--allow", "127.0.0.0/8:*", "--http"], uri => ["get", $"{http.Uri}/x?y", "--proxy", uri]);
        (CliRun refused, _) = await RunAsync(["--allow", "127.0.0.0/8:*"], uri => ["get", $"{http.Uri}/x?y", "--proxy", uri]);
        (CliRun mapped, _) = await RunAsync(["--map", $"/api={http.Uri}/base"], uri => ["get", $"{uri.TrimEnd('/')}/api/x"]);

        Assert.Equal("GET /x?y", named.Out);
        proxy.HasError($"GET {http.Uri}/x?y");
        refused.HasError("5.05");
        refused.HasError("\nhint: The proxy does not allow that server");
        Assert.Equal("GET /base/x", mapped.Out);
    }

    [Fact]
    public async Task The_keys_of_the_command_line_are_used_on_both_sides_of_the_proxy()
    {
        CoapEndpointOptions secured = new();
        secured.UseDtls(new CoapDtlsOptions
        {
            Server = new CoapDtlsServerOptions
            {
                PskStore = new CoapPskDictionary { CoapPskCredential.Parse("gateway:0x00112233445566778899") },
            },
        });
        await using CoapServer origin = new(secured);
        origin.Listen("coaps://127.0.0.1:0");
        origin.MapGet("/who", request => CoapResults.Text($"{request.Peer.Identity}"));
        await origin.StartAsync();
        string target = origin.LocalEndpoints[0].Origin();
        string[] keys = ["--psk", "device:0x99887766554433221100", "--upstream-psk", "gateway:0x00112233445566778899"];

        (CliRun run, _) = await RunAsync([.. keys, "--map", $"/={target}", "--allow", "127.0.0.0/8:*"],
            uri => ["get", $"{uri.TrimEnd('/')}/who", "--psk", "device:0x99887766554433221100"], "coaps://127.0.0.1:0");
        (CliRun plain, _) = await RunAsync([.. keys[2..], "--allow", "127.0.0.0/8:*"], uri => ["get", $"{target}/who", "--proxy", uri]);
        (CliRun anyone, _) = await RunAsync([.. keys[2..], "--allow", "127.0.0.0/8:*", "--secured-to-anyone"],
            uri => ["get", $"{target}/who", "--proxy", uri]);

        run.HasExitCode(0);
        Assert.Equal("psk:gateway", run.Out);
        plain.HasError("4.01");
        Assert.Equal(run.Out, anyone.Out);
    }

    [Fact]
    public async Task A_server_is_discovered_through_a_forward_proxy_and_a_reverse_proxy()
    {
        (CliRun forward, _) = await RunAsync(["--allow", "127.0.0.0/8:*"], uri => ["discover", Origin, "--proxy", uri]);
        (CliRun reverse, _) = await RunAsync(["--map", $"/={Origin}"], uri => ["discover", uri]);
        CliRun group = await CliHarness.RunAsync("discover", "--multicast", "--proxy", "coap://192.0.2.1");

        forward.HasOut("lamp");
        reverse.HasOut("lamp");
        group.HasExitCode(ExitCodes.Usage);
    }

    [Fact]
    public async Task A_resource_is_observed_through_a_proxy_that_supports_Proxy_Scheme_only()
    {
        await using CoapServer proxy = new();
        proxy.Listen("coap://127.0.0.1:0");
        proxy.MapProxy(new CoapProxyNames(), (request, _) => ValueTask.FromResult(
            request.Options.ProxyUri is null ? CoapResults.Text("seen") : CoapResults.Status(CoapCode.NotImplemented))).Observable();
        await proxy.StartAsync();

        CliRun run = await CliHarness.RunAsync(
            "observe", "coap://lamp.example/x", "--proxy", proxy.LocalEndpoints[0].Origin(), "--count", "1");

        Assert.Equal("seen", run.Out.TrimEnd());
        run.HasExitCode(0);
    }

    [Fact]
    public async Task The_tool_runs_a_proxy_and_sends_requests_through_the_proxy_until_it_ends()
    {
        using Process proxy = Start(
            "proxy", "--listen", "coap://127.0.0.1:0", "--allow", "127.0.0.0/8:*", "--identifier", "gw", "--max-requests", "10");
        try
        {
            string uri = await proxy.StandardOutput.ReadLineAsync() ?? throw new InvalidOperationException(await proxy.StandardError
                .ReadToEndAsync());
            using Process client = Start("get", $"{Origin}/x", "--proxy", uri, "--hop-limit", "1");
            (await client.StandardError.ReadToEndAsync()).Mentions("5.08");
            await client.WaitForExitAsync();
            using Process second = Start("get", $"{Origin}/x", "--proxy", uri);
            Assert.Equal("at /x", await second.StandardOutput.ReadToEndAsync());
        }
        finally
        {
            proxy.Kill();
        }

        await proxy.WaitForExitAsync();
    }

    private static Process Start(params string[] args) => Process.Start(
        new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, "coap.dll"), .. args])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = true,
        })!;

    private static async Task<(CliRun Client, CliRun Proxy)> RunAsync(
        string[] args, Func<string, string[]> client, string listen = "coap://127.0.0.1:0")
    {
        using CancellationTokenSource stop = new();
        CliHarness harness = new() { Stopped = stop.Token };
        Task<CliRun> running = harness.InvokeAsync(["proxy", "--listen", listen, .. args]);
        Task first = await Task.WhenAny(harness.WhenErrorAsync("Ctrl-C to stop"), running);
        Assert.True(first != running, running.IsCompletedSuccessfully ? running.Result.ToString() : "not started");
        CliRun run = await CliHarness.RunAsync(client(harness.OutSoFar.Split('\n')[0]));
        await stop.CancelAsync();
        return (run, await running.WaitAsync(s_hang));
    }

    /// <summary>A server of HTTP/1.1 that answers each request with its first line.</summary>
    private sealed class HttpOrigin : IAsyncDisposable
    {
        private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
        private readonly CancellationTokenSource _stop = new();
        private readonly Task _serving;

        public HttpOrigin()
        {
            _listener.Start();
            _serving = ServeAsync();
        }

        public string Uri => $"http://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}";

        public async ValueTask DisposeAsync()
        {
            // A listener that was stopped would throw if the loop is about to accept again.
            await _stop.CancelAsync();
            await _serving;
            _listener.Dispose();
            _stop.Dispose();
        }

        private async Task ServeAsync()
        {
            try
            {
                while (true)
                {
                    using TcpClient client = await _listener.AcceptTcpClientAsync(_stop.Token);
                    using StreamReader reader = new(client.GetStream(), Encoding.ASCII, leaveOpen: true);
                    string first = await reader.ReadLineAsync() ?? "";
                    while (await reader.ReadLineAsync() is { Length: > 0 })
                    {
                    }

                    string body = string.Join(' ', first.Split(' ')[..2]);
                    await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(
                        $"HTTP/1.1 200 OK\r\nContent-Type: text/plain;charset=utf-8\r\nContent-Length: {body.Length}\r\n"
                            + $"Connection: close\r\n\r\n{body}"));
                }
            }
            catch (Exception exception) when (exception is SocketException or OperationCanceledException)
            {
                // It ends.
            }
        }
    }
}
