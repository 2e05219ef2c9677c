using System.Globalization;

namespace CoAP.NET.Cli.Tests.Bench;

/// <summary>Real clock: the load generator measures real time.</summary>
public sealed class BenchTests
{
    [Fact]
    public async Task The_measurements_are_drawn_on_a_terminal_during_the_run()
    {
        await using CoapServer server = await TestServer.StartAsync();
        string[] args = ["bench", $"{server.LocalEndpoints[0]}text", "--peers", "1", "--seconds", "0.1", "--warm-up", "0"];

        CliRun terminal = await new CliHarness { IsTerminal = true }.InvokeAsync(args);
        CliRun redirected = await CliHarness.RunAsync(args);

        terminal.HasExitCode(ExitCodes.Success);
        terminal.HasError("\u001b[");
        Assert.DoesNotContain('\u001b', terminal.Out + redirected.Error);
    }

    [Fact]
    public async Task The_bench_command_generates_load_and_reports_the_results()
    {
        await using CoapServer server = await TestServer.StartAsync();

        await LongEnough.RunAsync(async factor =>
        {
            CliRun run = await CliHarness.RunAsync("bench", $"{server.LocalEndpoints[0].Origin()["coap://".Length..]}/text", "--peers", "2",
                "--seconds", (0.2 * factor).ToString(CultureInfo.InvariantCulture), "--warm-up", "0", "--quiet", "--strict", "--expect",
                "21.5");
            if (run.Error.Contains("no answers"))
            {
                return false;
            }

            run.HasExitCode(ExitCodes.Success);
            run.HasOut("answers/s");
            return true;
        });
    }

    [Fact]
    public async Task The_report_names_the_command()
    {
        await using CoapServer server = await TestServer.StartAsync();

        CliRun run = await CliHarness.RunAsync("bench", $"{server.LocalEndpoints[0]}text", "--peers", "1", "--seconds", "0.1", "--warm-up",
            "0", "--quiet", "--json", "-");

        run.HasExitCode(ExitCodes.Success);
        run.HasOut($"coap bench {server.LocalEndpoints[0]}text --peers 1");
    }

    [Fact]
    public async Task The_bench_command_accepts_times_with_units()
    {
        await using CoapServer server = await TestServer.StartAsync();
        string[] args = ["bench", $"{server.LocalEndpoints[0]}text", "--peers", "1", "--seconds", "100ms", "--warm-up", "0s", "--ramp",
            "0.1s", "--quiet", "--max-retransmit", "2", "--retransmission-timing", "fasor"];

        CliRun run = await CliHarness.RunAsync([.. args, "--timeout", "5s"]);
        CliRun wrong = await CliHarness.RunAsync([.. args, "--timeout", "5x"]);
        CliRun idle = await CliHarness.RunAsync([.. args, "--non"]);

        run.HasExitCode(ExitCodes.Success);
        wrong.HasExitCode(ExitCodes.Usage);
        wrong.Error.Begins("coap: '5x' is not a time.");
        idle.HasExitCode(ExitCodes.Usage);
        idle.HasError("--retransmission-timing is for retransmissions");
    }

    [Fact]
    public async Task An_error_is_reported_with_its_cause()
    {
        using Socket closed = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        closed.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        string uri = $"coap://{closed.LocalEndPoint}/x";
        closed.Close();

        CliRun run = await CliHarness.RunAsync("bench", uri, "--peers", "1", "--loop", "open", "--rate", "20", "--seconds", "0.2",
            "--warm-up", "0", "--ramp", "0", "--quiet");

        run.HasOut("x nothing listens at the port");
        (run.Out + run.Error).Omits("Exception");
    }

    [Fact]
    public async Task Requests_are_sent_from_the_address_of_the_bind_option()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs all loopback addresses");
        HashSet<string> seen = [];
        await using CoapServer server = await TestServer.StartAsync(server => server.MapGet("/from", request =>
        {
            lock (seen)
            {
                seen.Add(request.Peer.Address.ToIPAddress().ToString());
            }

            return CoapResults.Text("on");
        }));

        CliRun run = await CliHarness.RunAsync("bench", $"{server.LocalEndpoints[0]}from", "--bind", "127.7.0.9", "--peers", "2", "--loop",
            "open", "--rate", "40", "--seconds", "0.2", "--warm-up", "0", "--ramp", "0", "--quiet");

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal(["127.7.0.10", "127.7.0.9"], seen.Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData]
    [InlineData("coap://127.0.0.1", "--peers", "0")]
    [InlineData("report", "nowhere.json")]
    public async Task A_wrong_command_line_is_refused(params string[] args)
    {
        CliRun run = await CliHarness.RunAsync(["bench", .. args]);

        run.HasExitCode(ExitCodes.Usage);
        run.HasError("coap bench --help");
    }
}
