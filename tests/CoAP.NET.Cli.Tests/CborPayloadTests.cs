namespace CoAP.NET.Cli.Tests;

/// <summary>CBOR that is typed as diagnostic notation.</summary>
public sealed class CborPayloadTests
{
    [Theory]
    [InlineData("3", "cbor", "03")]
    [InlineData("-20", "cbor", "33")]
    [InlineData("{1: \"a\", 2: h'0102'}", "application/cbor", "a2016161" + "02420102")]
    [InlineData("""{"on": true}""", "60", "a1626f6ef5")]
    [InlineData("1, 2", "cbor-seq", "0102")]
    [InlineData("[{0: \"t\", 2: 21.5}]", "senml-cbor", "81a200617402f94d60")]
    [InlineData("3", "text", "33")]
    [InlineData("3", "json", "33")]
    public async Task A_payload_of_a_CBOR_format_is_encoded(string notation, string format, string expected)
    {
        await using CoapServer server = await TestServer.StartAsync();

        foreach (string method in (string[])["post", "put", "patch", "fetch", "ipatch"])
        {
            CliRun run = await CliHarness.RunAsync(method, $"{server.LocalEndpoints[0]}echo", "-e", notation, "-t", format, "--raw");

            run.HasExitCode(ExitCodes.Success);
            Assert.Equal(expected, Convert.ToHexStringLower(run.OutBytes));
        }
    }

    [Theory]
    [InlineData("{1: }", "cbor", "at character 5.")]
    [InlineData("on", "cbor", "at character 1.")]
    [InlineData("1, 2", "cbor", "at character 2.")]
    public async Task Invalid_notation_is_refused_with_its_position(string notation, string format, string place)
    {
        CliRun run = await CliHarness.RunAsync("put", "coap://127.0.0.1:9/x", "-e", notation, "-t", format);

        run.HasExitCode(ExitCodes.Usage);
        run.HasError(place);
        run.HasError("--hex and --file send bytes");
    }

    [Fact]
    public async Task Files_and_hexadecimal_payloads_are_sent_unchanged()
    {
        await using CoapServer server = await TestServer.StartAsync();
        string uri = $"{server.LocalEndpoints[0]}echo";

        CliRun hex = await CliHarness.RunAsync("put", uri, "--hex", "33", "-t", "cbor", "--raw");
        CliRun file = await new CliHarness { Input = [0x33] }.InvokeAsync("put", uri, "-f", "-", "-t", "cbor", "--raw");

        Assert.Equal(new byte[] { 0x33 }, hex.OutBytes);
        Assert.Equal(new byte[] { 0x33 }, file.OutBytes);
    }
}
