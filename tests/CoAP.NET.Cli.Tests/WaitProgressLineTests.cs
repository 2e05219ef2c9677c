namespace CoAP.NET.Cli.Tests;

/// <summary>The line that tells what a command waits for.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class WaitProgressLineTests
{
    private const string Cleared = "\r\u001b[K";

    [Fact]
    public async Task The_progress_line_on_a_terminal_shows_the_peer_the_transmissions_and_the_time_left()
    {
        CliRun run = await WaitAsync(isTerminal: true, "get", "192.0.2.1/x", "--ack-timeout", "2s", "--max-retransmit", "1");

        run.HasExitCode(ExitCodes.Timeout);
        string[] lines = run.Error.Split(Cleared);
        Assert.Equal("waiting for 192.0.2.1: 1 s, at most 8 s left", lines[0]);
        Assert.Contains(lines, line => Regex.IsMatch(line, "^waiting for 192\\.0\\.2\\.1: 4 s, sent 2 times, at most 5 s left$"));

        // Nothing of it stays: the error begins a line that was cleared.
        lines[^1].Begins("coap: ");
    }

    [Fact]
    public async Task The_progress_line_shows_the_time_left_of_the_given_timeout()
    {
        CliRun run = await WaitAsync(isTerminal: true, "get", "192.0.2.1/x", "--timeout", "3s");

        run.Error.Begins("waiting for 192.0.2.1: 1 s, 2 s left" + Cleared);
    }

    [Theory]
    [InlineData("observe", "192.0.2.1/x")]
    [InlineData("discover", "192.0.2.1")]
    [InlineData("ping", "192.0.2.1")]
    public async Task Every_waiting_command_shows_the_progress_line(params string[] args)
    {
        CliRun run = await WaitAsync(isTerminal: true, [.. args, "--max-retransmit", "0"]);

        run.HasExitCode(ExitCodes.Timeout);
        run.Error.Begins("waiting for 192.0.2.1: 1 s, at most 2 s left" + Cleared);
    }

    [Fact]
    public async Task The_error_of_a_ping_that_timed_out_names_the_timeout()
    {
        CliRun run = await WaitAsync(isTerminal: false, "ping", "192.0.2.1", "--timeout", "50ms", "--repeat", "2", "--interval", "0s");

        run.HasExitCode(ExitCodes.Timeout);
        run.HasError("no acknowledgement arrived within the Timeout of 0.05 s");
        Assert.Equal(2, run.Error.Split("the Timeout of 0.05 s").Length - 1);
        run.HasError("--timeout");
        run.Out.Ends("2 sent, 0 answered\n");
    }

    [Fact]
    public async Task The_progress_line_is_not_shown_with_redirected_output_or_verbose_messages()
    {
        CliRun redirected = await WaitAsync(isTerminal: false, "get", "192.0.2.1/x", "--max-retransmit", "0");
        CliRun verbose = await WaitAsync(isTerminal: true, "get", "192.0.2.1/x", "--max-retransmit", "0", "-v");

        redirected.HasNoError("waiting");
        Assert.DoesNotContain('\u001b', redirected.Error);
        verbose.HasNoError("waiting");
    }

    [Fact]
    public void The_progress_line_is_truncated_to_the_terminal_width_and_cleared_before_other_output()
    {
        using MemoryStream stream = new();
        StatusLine status = new(stream, width: 10);
        CliOutput output = new(stream, isTerminal: true, 10, status);

        status.Show("0123456789 and more");
        output.Writer.WriteLine("text");
        status.Show("日本語日本語");
        status.Show("short\u001b[2J");
        output.WriteBytes("raw"u8);

        Assert.Equal($"012345678{Cleared}text\n日本語日{Cleared}short␛[2J{Cleared}raw", Encoding.UTF8.GetString(stream.ToArray()));
    }

    private static async Task<CliRun> WaitAsync(bool isTerminal, params string[] args)
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock);
        using ScriptedPeer silent = network.CreatePeer(InMemoryNetwork.Address("192.0.2.1:5683"));
        CliHarness harness = new()
        {
            IsTerminal = isTerminal,
            TimeProvider = clock,
            CreateClient = options =>
            {
                CoapClient client = new(options);
                client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.2:40000")));
                return client;
            },
        };
        return await clock.AdvanceUntilAsync(harness.InvokeAsync([.. args, "--color", "never"]), FromMinutes(10));
    }
}
