namespace CoAP.NET.Cli.Tests;

public sealed class PingTests
{
    [Fact]
    public async Task Ping_shows_the_round_trip_time()
    {
        await using CoapServer server = new();
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();

        CliRun run = await CliHarness.RunAsync("ping", server.LocalEndpoints[0].Origin());

        run.HasExitCode(ExitCodes.Success);
        Assert.Matches(@"^coap://127\.0\.0\.1:\d+ answered in \d+\.\d\d ms\n$", run.Out);
        Assert.Empty(run.Error);
    }

    [Fact]
    public async Task Ping_without_a_URI_is_a_usage_error()
    {
        CliRun run = await CliHarness.RunAsync("ping");

        run.HasExitCode(ExitCodes.Usage);
        run.HasError("hint: coap ping --help");
    }

    [Fact]
    public async Task A_ping_is_sent_from_the_address_of_the_bind_option()
    {
        await using CoapServer server = await TestServer.StartAsync();

        CliRun own = await CliHarness.RunAsync("ping", server.LocalEndpoints[0].Origin(), "--bind", "127.0.0.1");
        CliRun foreign = await CliHarness.RunAsync("ping", server.LocalEndpoints[0].Origin(), "--bind", "192.0.2.77");
        CliRun connection = await CliHarness.RunAsync("ping", "coap+tcp://127.0.0.1:9", "--bind", "127.0.0.1");

        own.HasExitCode(ExitCodes.Success);
        foreign.HasExitCode(ExitCodes.Network);
        foreign.HasError("192.0.2.77");
        connection.HasExitCode(ExitCodes.Usage);
        connection.HasError("--bind works only with coap:// here");
    }
}
