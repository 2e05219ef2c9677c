namespace CoAP.NET.Cli.Tests.Proxying;

public sealed class ProxyCommandTests : IAsyncLifetime
{
    private static readonly TimeSpan s_hang = TimeSpan.FromMinutes(2);

    private readonly CoapServer _origin = new();

    private string Origin => _origin.LocalEndpoints[0].TrimEnd('/');

    public Task InitializeAsync()
    {
        _origin.Listen("coap://127.0.0.1:0");
        _origin.MapGet("/{*path}", request => CoapResults.Text($"at {request.Path}"));
        return _origin.StartAsync();
    }

    public async Task DisposeAsync() => await _origin.DisposeAsync();

    [Fact]
    public async Task Clients_ask_through_it_whom_allow_names_and_each_request_is_a_line()
    {
        (CliRun run, CliRun proxy) = await RunAsync(
            ["--allow", "127.0.0.0/8"], uri => ["get", $"{Origin}/x", "--proxy", uri]);

        Assert.Equal(0, run.ExitCode);
        Assert.Equal("at /x", run.Out.TrimEnd());
        Assert.Equal(0, proxy.ExitCode);
        Assert.Contains($"GET {Origin}/x", proxy.Error, StringComparison.Ordinal);
        Assert.Contains("2.05", proxy.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Whom_allow_does_not_name_is_5_05()
    {
        (CliRun run, _) = await RunAsync(["--allow", "sensor.example.com"], uri => ["get", $"{Origin}/x", "--proxy", uri]);

        Assert.Equal(5, run.ExitCode);
        Assert.Contains("5.05", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_path_stands_for_a_server_by_map()
    {
        (CliRun run, _) = await RunAsync(["--map", $"/floor1={Origin}/base"], uri => ["get", $"{uri.TrimEnd('/')}/floor1/lamp"]);

        Assert.Equal("at /base/lamp", run.Out.TrimEnd());
    }

    [Theory]
    [InlineData(true, 10)]
    [InlineData(false, 1050)]
    public async Task A_proxy_that_knows_Proxy_Scheme_only_is_asked_so_and_so_is_one_for_a_long_URI(bool isRefused, int length)
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

        string named = proxy.LocalEndpoints[0].Replace("127.0.0.1", "localhost", StringComparison.Ordinal);

        CliRun run = await CliHarness.RunAsync("get", target, "--proxy", named);

        Assert.Equal("here", run.Out.TrimEnd());
        Assert.All(seen, uri => Assert.Equal(target, uri));
        Assert.Equal(isRefused ? 2 : 1, seen.Count);
    }

    [Theory]
    [InlineData("asks nobody")]
    [InlineData("neither a host", "--allow", "a b")]
    [InlineData("is no path and URI", "--map", "floor1")]
    [InlineData("WebSockets", "--allow", "x.example", "--listen", "coap+ws://[::1]")]
    public async Task What_is_wrong_is_told(string expected, params string[] args)
    {
        string[] listen = args.Contains("--listen") ? [] : ["--listen", "coap://127.0.0.1:0"];
        CliRun run = await CliHarness.RunAsync(["proxy", .. listen, .. args]);

        Assert.Equal(2, run.ExitCode);
        Assert.Contains(expected, run.Error, StringComparison.Ordinal);
    }

    private static async Task<(CliRun Client, CliRun Proxy)> RunAsync(string[] args, Func<string, string[]> client)
    {
        using CancellationTokenSource stop = new();
        CliHarness harness = new() { Stopped = stop.Token };
        Task<CliRun> running = harness.InvokeAsync(["proxy", "--listen", "coap://127.0.0.1:0", .. args]);
        Task first = await Task.WhenAny(harness.WhenErrorAsync("Ctrl-C ends"), running);
        Assert.True(first != running, running.IsCompletedSuccessfully ? running.Result.ToString() : "not started");
        CliRun run = await CliHarness.RunAsync(client(harness.OutSoFar.Split('\n')[0]));
        await stop.CancelAsync();
        return (run, await running.WaitAsync(s_hang));
    }
}
