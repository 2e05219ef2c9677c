using System.Globalization;

namespace CoAP.NET.Cli.Tests.Bench;

public sealed class BenchTests
{
    [Fact]
    public async Task What_is_measured_is_drawn_on_a_terminal_while_it_runs()
    {
        await using CoapServer server = await TestServer.StartAsync();
        string[] args = ["bench", $"{server.LocalEndpoints[0]}/text", "--peers", "1", "--seconds", "0.1", "--warm-up", "0"];

        CliRun terminal = await new CliHarness { IsTerminal = true }.InvokeAsync(args);
        CliRun redirected = await CliHarness.RunAsync(args);

        Assert.True(terminal.ExitCode == ExitCodes.Success, terminal.ToString());
        Assert.Contains("\u001b[", terminal.Error, StringComparison.Ordinal);
        Assert.DoesNotContain('\u001b', terminal.Out + redirected.Error);
    }

    [Fact]
    public async Task Load_is_made_and_told_of()
    {
        await using CoapServer server = await TestServer.StartAsync();

        await LongEnough.RunAsync(async factor =>
        {
            CliRun run = await CliHarness.RunAsync("bench", $"{server.LocalEndpoints[0]["coap://".Length..]}/text", "--peers", "2",
                "--seconds", (0.2 * factor).ToString(CultureInfo.InvariantCulture), "--warm-up", "0", "--quiet", "--strict", "--expect",
                "21.5");
            if (run.Error.Contains("no answers", StringComparison.Ordinal))
            {
                return false;
            }

            Assert.True(run.ExitCode == ExitCodes.Success, run.ToString());
            Assert.Contains("answers/s", run.Out, StringComparison.Ordinal);
            return true;
        });
    }

    [Fact]
    public async Task The_report_names_the_command()
    {
        await using CoapServer server = await TestServer.StartAsync();

        CliRun run = await CliHarness.RunAsync("bench", $"{server.LocalEndpoints[0]}/text", "--peers", "1", "--seconds", "0.1", "--warm-up",
            "0", "--quiet", "--json", "-");

        Assert.True(run.ExitCode == ExitCodes.Success, run.ToString());
        Assert.Contains($"coap bench {server.LocalEndpoints[0]}/text --peers 1", run.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData]
    [InlineData("coap://127.0.0.1", "--peers", "0")]
    [InlineData("report", "nowhere.json")]
    public async Task A_wrong_command_line_is_refused(params string[] args)
    {
        CliRun run = await CliHarness.RunAsync(["bench", .. args]);

        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains("coap bench --help", run.Error, StringComparison.Ordinal);
    }
}
