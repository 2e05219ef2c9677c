using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Tests.CommandLine;

/// <summary>Real clock: the load generator measures real time.</summary>
public sealed class BenchCommandTests
{
    private static readonly string[] s_short = Short(1);

    [Theory]
    [InlineData("")]
    [InlineData("http://127.0.0.1/x")]
    [InlineData("coap://127.0.0.1/x --peers many")]
    [InlineData("coap://127.0.0.1/x --peers 1,,2")]
    [InlineData("coap://127.0.0.1/x --peers 0")]
    [InlineData("coap://127.0.0.1/x --loop round")]
    [InlineData("coap://127.0.0.1/x --loop open")]
    [InlineData("coap://127.0.0.1/x --rate 1,5")]
    [InlineData("coap://127.0.0.1/x --nothing")]
    [InlineData("coap://127.0.0.1/x --method TAKE")]
    [InlineData("coap://127.0.0.1/x --seconds")]
    [InlineData("coap://127.0.0.1/x --bind 192.0.2.1")]
    [InlineData("coap://127.0.0.1/x --json no-such-directory/x.json")]
    [InlineData("coap://[::1]/x --peers 100000")]
    [InlineData("coap://127.0.0.1/x --processor 100")]
    [InlineData("coap://127.0.0.1/x --rate 5")]
    [InlineData("coap://127.0.0.1/x --poisson")]
    [InlineData("coap://127.0.0.1/x --loop observe --depth 2")]
    [InlineData("coap://127.0.0.1/x --loop observe --rate 1 --expect x")]
    [InlineData("coap://127.0.0.1/x --loop observe --method PUT")]
    [InlineData("coap://127.0.0.1/x --workers a:x")]
    [InlineData("coap://127.0.0.1/x --workers a,a")]
    [InlineData("coap://127.0.0.1/x --worker-key word")]
    [InlineData("coap://127.0.0.1/x --html -")]
    [InlineData("coap://127.0.0.1/x --html no-such-directory/x.html")]
    [InlineData("coap://127.0.0.1/x --html x --json ./x")]
    [InlineData("coap://127.0.0.1/x worker")]
    [InlineData("worker coap://127.0.0.1/x")]
    [InlineData("worker --listen somewhere:5")]
    [InlineData("worker --peers 3")]
    [InlineData("worker --processor 100")]
    [InlineData("report")]
    [InlineData("report no-such-file.json")]
    [InlineData("report a.json b.json")]
    public async Task Invalid_options_are_refused_with_a_reason(string commandLine)
    {
        (int code, string output, string error) = await RunAsync(commandLine.Split(' ', StringSplitOptions.RemoveEmptyEntries));
        Assert.Equal((2, ""), (code, output));
        error.Mentions("--help");
        Assert.True(error.Split('\n', StringSplitOptions.RemoveEmptyEntries).Length >= 2, error);
    }

    [Fact]
    public async Task Help_names_the_options()
    {
        (int code, string output, _) = await RunAsync(["--help"]);
        Assert.Equal(0, code);
        Assert.All(new[]
        {
            "--peers", "--loop", "--rate", "--json", "--html", "--workers", "--quiet", "observe", "worker", "report", "URI"
        }, name => output.Mentions(name));
    }

    [Fact]
    public async Task Each_load_level_is_a_separate_run_with_a_row_in_the_report()
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using TestServer server = await TestServer.StartAsync();
            (int code, string output, string error) = await RunAsync([
                server.Uri + "/hello", "--peers", "1,3", "--strict", "--quiet", "--expect", "hello world!", .. Short(factor)]);
            if (server.Peers.Count < 1 + 3 || error.Contains("no answers"))
            {
                return false;
            }

            // Each run opens its own ports.
            Assert.Equal(1 + 3, server.Peers.Count);
            Assert.Equal((0, ""), (code, error));
            string[] rows = output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
            Assert.Equal(4, rows.Count(row => row.StartsWith('|')));
            rows[^1].Mentions("closed");
            return true;
        });
    }

    [Theory]
    [InlineData("worker", "--listen")]
    [InlineData("report", "FILE")]
    public async Task Subcommands_have_their_own_help_that_requires_no_URI(string command, string option)
    {
        (int code, string output, _) = await RunAsync([command, "--help"]);
        Assert.Equal(0, code);
        output.Mentions(option);
        output.Omits("URI");
    }

    [Fact]
    public async Task JSON_on_the_standard_output_is_printed_without_other_text()
    {
        await using TestServer server = await TestServer.StartAsync();
        string[] line = [server.Uri + "/hello", "--peers", "2,1", "--loop", "open", "--rate", "100", "--poisson", "--non", "--depth", "2",
            "--seed", "9", "--timeout", "4", "--json", "-", .. s_short];
        (int code, string output, string error) = await RunAsync(line);
        Assert.Equal(0, code);
        error.Mentions("answers/s");
        LoadReport report = LoadReport.Parse(output);
        LoadPlan expected = new()
        {
            Uri = server.Uri + "/hello", Peers = 2, Loop = LoadPacing.Open, Rate = 100, Poisson = true, Confirmable = false, Depth = 2,
            Seed = 9, TimeoutSeconds = 4, Seconds = 0.2, WarmUpSeconds = 0, RampSeconds = 0,
        };
        Assert.Equal([expected, expected with { Peers = 1 }], report.Runs.Select(run => run.Plan));
        Assert.Equal(server.Count, report.Runs.Sum(run => run.Count));
        report.Command.Begins("coap bench " + server.Uri);
        Assert.NotEmpty(report.Machine);
    }

    [Fact]
    public async Task The_separate_bench_program_does_the_same_under_its_own_name()
    {
        await using TestServer server = await TestServer.StartAsync();

        (int code, string output, string error) = await Called.RunAloneAsync([server.Uri + "/hello", "--json", "-", .. s_short]);
        (int helped, string help, _) = await Called.RunAloneAsync("--help");
        (int wrong, _, string refusal) = await Called.RunAloneAsync("coap://127.0.0.1", "--peers", "0");
        (int unknown, _, string meant) = await Called.RunAloneAsync("coap://127.0.0.1", "--peer", "1");

        Assert.True(code == 0, error);
        LoadReport.Parse(output).Command.Begins($"coap-load {server.Uri}/hello --json -");
        Assert.Equal(0, helped);
        help.Mentions("  coap-load coap://127.0.0.1/hello --peers 128");
        help.Mentions("--version");
        Assert.Equal((ExitCodes.Usage, ExitCodes.Usage), (wrong, unknown));
        refusal.Begins("coap-load: ");
        refusal.Mentions("coap-load --help lists the options.");
        meant.Mentions("Did you mean --peers?");
    }

    [Fact]
    public async Task JSON_is_written_to_a_file()
    {
        await using TestServer server = await TestServer.StartAsync();
        string file = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        try
        {
            (int code, string output, _) = await RunAsync([server.Uri + "/hello", "--json", file, .. s_short]);
            Assert.Equal(0, code);
            output.Mentions("answers/s");
            Assert.Equal(server.Count, Assert.Single(LoadReport.Parse(await File.ReadAllTextAsync(file)).Runs).Count);
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 0)]
    public async Task Errors_set_the_exit_code_1_only_in_strict_mode(bool isStrict, int expected)
    {
        await LongEnough.RunAsync(async factor =>
        {
            await using TestServer server = await TestServer.StartAsync();
            (int code, string output, _) =
                await RunAsync([server.Uri + "/nothing", .. Short(factor), .. isStrict ? ["--strict"] : Array.Empty<string>()]);
            if (!output.Contains(" x 4.04"))
            {
                return false;
            }

            Assert.Equal(expected, code);
            return true;
        });
    }

    [Fact]
    public async Task A_server_that_never_answers_fails_a_strict_run()
    {
        await using LossyServer server = new(_ => true);
        (int code, string output,
            string error) = await RunAsync([server.Uri, "--peers", "2", "--seconds", "0.1", "--warm-up", "2", "--ramp", "0", "--timeout",
                "5", "--strict", "--quiet"]);
        Assert.Equal(1, code);
        output.Mentions("nothing was asked");
        error.Mentions("no answers");
    }

    [Fact]
    public async Task A_run_that_is_cancelled_early_reports_the_measurements_until_then()
    {
        await using TestServer server = await TestServer.StartAsync();
        using CancellationTokenSource end = new();
        server.Asked = (_, count) =>
        {
            if (count == 100)
            {
                end.Cancel();
            }
        };
        (int code, string output,
            _) = await RunAsync(
                [server.Uri + "/hello", "--peers", "2,3", "--seconds", "3600", "--warm-up", "0", "--ramp", "0", "--json", "-"], end.Token);
        Assert.Equal(0, code);
        Assert.InRange(Assert.Single(LoadReport.Parse(output).Runs).Count, 98, server.Count);
    }

    [Fact]
    public void JSON_that_is_not_a_report_is_refused() => Assert.Throws<JsonException>(() => LoadReport.Parse("null"));

    private static string[] Short(double factor) =>
        ["--seconds", (0.2 * factor).ToString(CultureInfo.InvariantCulture), "--warm-up", "0", "--ramp", "0"];

    private static Task<(int Code, string Output, string Error)> RunAsync(string[] args, CancellationToken cancellationToken = default) =>
        Called.RunAsync(args, cancellationToken);
}
