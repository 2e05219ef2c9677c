namespace CoAP.NET.Cli.Tests;

public sealed class CompletionTests
{
    [Theory]
    [InlineData("bash", "complete -o bashdefault")]
    [InlineData("zsh", "compdef _coap_complete coap")]
    [InlineData("fish", "complete -c coap")]
    [InlineData("pwsh", "Register-ArgumentCompleter -Native -CommandName coap")]
    public async Task Completion_scripts_are_printed(string shell, string expected)
    {
        CliRun run = await CliHarness.RunAsync("completion", shell);

        run.HasExitCode(ExitCodes.Success);
        run.HasOut(expected);
        run.HasOut("[suggest:");
    }

    [Theory]
    [InlineData("coap ip", "ipatch")]
    [InlineData("coap get --acc", "--accept")]
    [InlineData("coap get --accept cb", "cbor")]
    [InlineData("coap get --accept application/link", "application/link-format")]
    [InlineData("coap get --block-size 5", "512")]
    [InlineData("coap get --option Max", "Max-Age=")]
    [InlineData("coap get --color al", "always")]
    [InlineData("coap completion z", "zsh")]
    [InlineData("coap get coap+w", "coap+ws://")]
    [InlineData("coap discover coaps+", "coaps+ws://")]
    [InlineData("coap discover --r", "--rd")]
    [InlineData("coap reg", "register")]
    [InlineData("coap register coaps+", "coaps+ws://")]
    [InlineData("coap register coap://rd --ke", "--keep")]
    public async Task Commands_and_options_are_suggested_for_a_partial_line(string line, string expected)
    {
        CliRun run = await CliHarness.RunAsync($"[suggest:{line.Length}]", line);

        Assert.Contains(expected, run.Out.Split('\n').Select(word => word.Trim()));
    }
}
