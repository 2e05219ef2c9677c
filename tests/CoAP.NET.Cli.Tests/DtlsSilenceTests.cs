namespace CoAP.NET.Cli.Tests;

/// <summary>
/// Handshakes of DTLS that end by silence. The time of the tool goes on only when nothing happens any more, so that the time-out comes
/// after all that the server has to say.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class DtlsSilenceTests
{
    private const string Key = "0x8d3f51b2c07a46e99b1e20f4d5a6c733";
    private const string WrongKey = "0x11112222333344445555666677778888";

    [Theory]
    [InlineData("urn:dev:meter")]
    [InlineData("somebody")]
    public async Task The_error_for_a_wrong_key_or_identity_says_what_to_compare_and_shows_no_key(string identity)
    {
        CoapDtlsServerOptions keys = new() { PskStore = new CoapPskDictionary { CoapPskCredential.Parse($"urn:dev:meter:{Key}") } };
        await using CoapServer server = await TestServer.StartAsync(
            _ => { }, "coaps://127.0.0.1:0", new CoapEndpointOptions().UseDtls(new CoapDtlsOptions { Server = keys }));

        CliRun run = await RunAsync("get", $"{server.LocalEndpoints[0]}who", "--psk", $"{identity}:{WrongKey}",
            "--handshake-timeout", "500ms");

        run.HasExitCode(ExitCodes.Network);
        run.HasError(identity);
        run.HasError("\nhint: Compare identity and key of --psk ID:KEY");
        Assert.DoesNotContain(WrongKey[2..], run.Error, OrdinalIgnoreCase);
        Assert.Empty(run.Out);
    }

    [Fact]
    public async Task The_error_for_an_unanswered_handshake_suggests_checking_the_port()
    {
        using Socket silent = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        silent.Bind(new IPEndPoint(IPAddress.Loopback, 0));

        CliRun run = await RunAsync("get", $"coaps://{silent.LocalEndPoint}/x", "--psk", "a:b", "--handshake-timeout", "200ms");

        run.HasExitCode(ExitCodes.Network);
        run.HasError("\nhint: The default port is 5684 for coaps.");
    }

    private static Task<CliRun> RunAsync(params string[] args)
    {
        VirtualClock clock = new();
        return clock.AdvanceUntilAsync(new CliHarness { TimeProvider = clock }.InvokeAsync(args), FromMinutes(10));
    }
}
