using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Cli.Tests;

public sealed class PingTests
{
    [Fact]
    public async Task Ping_tells_the_round_trip_time()
    {
        await using CoapServer server = new();
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();

        CliRun run = await CliHarness.RunAsync("ping", server.LocalEndpoints[0]);

        Assert.True(run.ExitCode == ExitCodes.Success, run.ToString());
        Assert.Matches(@"^coap://127\.0\.0\.1:\d+ answered in \d+\.\d\d ms\n$", run.Out);
        Assert.Empty(run.Error);
    }

    [Fact]
    public async Task A_ping_that_takes_too_long_says_what_it_waited_for()
    {
        using Socket silent = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        silent.Bind(new IPEndPoint(IPAddress.Loopback, 0));

        CliRun run = await CliHarness.RunAsync("ping", $"coap://{silent.LocalEndPoint}", "--timeout", "50ms", "--repeat", "2", "--interval",
            "0s");

        Assert.True(run.ExitCode == ExitCodes.Timeout, run.ToString());
        Assert.Contains("no acknowledgement came within the Timeout of 0.05 s", run.Error, StringComparison.Ordinal);
        Assert.Equal(2, run.Error.Split("the Timeout of 0.05 s").Length - 1);
        Assert.Contains("--timeout", run.Error, StringComparison.Ordinal);
        Assert.EndsWith("2 sent, 0 answered\n", run.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Ping_without_a_uri_is_a_mistake_of_usage()
    {
        CliRun run = await CliHarness.RunAsync("ping");

        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains("hint: coap ping --help", run.Error, StringComparison.Ordinal);
    }
}
