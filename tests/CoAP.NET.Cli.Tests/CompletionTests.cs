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
    [InlineData("coap get --retransmission-timing fa", "fasor")]
    [InlineData("coap get --no-response al", "all")]
    [InlineData("coap get --proxy coaps+t", "coaps+tcp://")]
    [InlineData("coap decode --format ud", "udp")]
    [InlineData("coap bench --method PO", "POST")]
    [InlineData("coap bench --loop op", "open")]
    [InlineData("coap help ge", "get")]
    [InlineData("coap help get sec", "security")]
    public async Task Commands_and_options_are_suggested_for_a_partial_line(string line, string expected)
    {
        CliRun run = await CliHarness.RunAsync($"[suggest:{line.Length}]", line);

        Assert.Contains(expected, run.Out.Split('\n').Select(word => word.Trim()));
    }

    [Theory]
    [InlineData("coap ip", "ipatch")]
    [InlineData("coap get --acc", "--accept")]
    [InlineData("coap get --accept cbor-s", "cbor-seq")]
    [InlineData("coap get --accept=cbor-s", "cbor-seq")]
    [InlineData("coap get coap+w", "coap+ws://")]
    [InlineData("coap get coap+ws:", "//")]
    [InlineData("coap get coap://host/ --option Max-", "Max-Age=")]
    [InlineData("coap help get rep", "repetition")]
    public async Task Bash_completes_a_line(string line, string expected)
    {
        if (!OperatingSystem.IsLinux())
        {
            Assert.Skip("The test runs bash.");
        }

        // Nothing but the completion itself is bound to the tool of this build.
        const string Script = """
            coap() { dotnet "$TOOL" "$@"; }
            complete() { :; }
            eval "$(coap completion bash)"
            COMP_LINE="$LINE"; COMP_POINT=${#LINE}; COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
            _coap_complete
            printf '%s\n' "${COMPREPLY[@]}"
            """;
        string found = await Tool.RunAsync(AppContext.BaseDirectory, "bash", ["--norc", "--noprofile", "-c", Script],
            new Dictionary<string, string> { ["TOOL"] = Path.Combine(AppContext.BaseDirectory, "coap.dll"), ["LINE"] = line });

        Assert.Equal(expected, found.TrimEnd());
    }
}
