namespace CoAP.NET.Cli.Tests;

/// <summary>Words of the command line that the parser could take for something else: paths, payloads and names of files.</summary>
public sealed class LiteralWordsTests
{
    [Theory]
    [InlineData("@readings")]
    [InlineData("@@")]
    [InlineData("-5")]
    [InlineData("-v")]
    [InlineData("--json")]
    [InlineData("-Nv")]
    [InlineData("/h")]
    [InlineData("/?")]
    [InlineData("/help")]
    [InlineData("a=b:c")]
    [InlineData("[1,2]")]
    [InlineData("get")]
    public async Task A_payload_is_sent_exactly_as_written(string payload)
    {
        await using CoapServer server = await TestServer.StartAsync();

        CliRun run = await CliHarness.RunAsync("put", $"{server.LocalEndpoints[0]}echo", "--payload", payload);

        run.HasExitCode(ExitCodes.Success);
        Assert.Equal(payload, run.Out);
    }

    [Theory]
    [InlineData("serve", "/h")]
    [InlineData("serve", "/?")]
    [InlineData("serve", "@folder")]
    [InlineData("get", "/h")]
    [InlineData("decode", "/h")]
    [InlineData("discover", "/h")]
    [InlineData("register", "/h", "--ep", "x", "--base", "coap://192.0.2.1")]
    [InlineData("ping", "/?")]
    public async Task A_path_named_help_does_not_show_the_help(params string[] args)
    {
        CliRun run = await CliHarness.RunAsync(args);

        Assert.NotEqual(ExitCodes.Success, run.ExitCode);
        run.HasNoOut("Usage:");
        run.HasError(args[1][1..]);
    }

    [Theory]
    [InlineData("coap get ")]
    [InlineData("coap get /")]
    [InlineData("coap proxy --map /")]
    public async Task The_completion_suggests_no_path_for_help(string line)
    {
        CliRun run = await CliHarness.RunAsync($"[suggest:{line.Length}]", line);

        Assert.DoesNotContain(run.Out.Split('\n'), word => word.Trim() is "/h" or "/?");
    }

    [Fact]
    public async Task A_missing_option_value_is_reported_once()
    {
        CliRun run = await CliHarness.RunAsync("put", "coap://192.0.2.1/x", "--payload");

        run.HasExitCode(ExitCodes.Usage);
        Assert.Equal(2, run.Error.Split("--payload").Length);
    }
}
