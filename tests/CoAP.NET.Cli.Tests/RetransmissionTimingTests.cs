namespace CoAP.NET.Cli.Tests;

/// <summary>Which timing of retransmissions the clients of commands have.</summary>
public sealed class RetransmissionTimingTests
{
    [Theory]
    [InlineData("fasor", CoapRetransmissionAlgorithm.Fasor)]
    [InlineData("FASOR", CoapRetransmissionAlgorithm.Fasor)]
    [InlineData("rfc7252", CoapRetransmissionAlgorithm.Rfc7252)]
    [InlineData("default", CoapRetransmissionAlgorithm.Default)]
    public async Task The_named_retransmission_timing_is_used(string name, CoapRetransmissionAlgorithm timing)
    {
        await using CoapServer server = await TestServer.StartAsync();
        foreach (string[] args in (string[][])[["get", $"{server.LocalEndpoints[0]}text"], ["ping", server.LocalEndpoints[0].Origin()],
            ["discover", server.LocalEndpoints[0].Origin()], ["observe", $"{server.LocalEndpoints[0]}text", "--count", "1"]])
        {
            CoapRetransmissionAlgorithm? used = null;
            CliHarness harness = new()
            {
                CreateClient = options =>
                {
                    used = options.Parameters.RetransmissionTiming;
                    return new CoapClient(options);
                },
            };

            CliRun run = await harness.InvokeAsync([.. args, "--retransmission-timing", name]);

            run.HasExitCode(ExitCodes.Success);
            Assert.Equal(timing, used);
        }
    }

    [Theory]
    [InlineData("fasto")]
    [InlineData("3")]
    [InlineData("")]
    public async Task An_unknown_timing_name_is_refused_with_the_known_names(string name)
    {
        CliRun run = await CliHarness.RunAsync("get", "coap://192.0.2.1/x", "--retransmission-timing", name);

        run.HasExitCode(ExitCodes.Usage);
        run.HasError("Write default, rfc7252 or fasor.");
    }
}
