namespace CoAP.NET.Cli.Tests;

public sealed class CompletionTests
{
    // What is typed, and what the tool or the shell adds. The file is one beside the tests.
    private static readonly (string Typed, string Added)[] s_lines =
    [
        ("coap ip", "atch"),
        ("coap get --acc", "ept"),
        ("coap get --accept cbor-s", "eq"),
        ("coap get --accept=cbor-s", "eq"),
        ("coap get coap+w", "s://"),
        ("coap get coap+ws:", "//"),
        ("coap get coap://host/ --option Max-", "Age="),
        ("coap help get rep", "etition"),
        ("echo first; coap ip", "atch"),
        ("coap decode ./coap.runtimec", "onfig.json")
    ];

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

    [Fact]
    [External("zsh")]
    public async Task Zsh_completes_lines()
    {
        const string Settings = """
            autoload -U compinit; compinit -D -u
            coap() { dotnet $TOOL "$@" }
            eval "$(coap completion zsh)"
            bindkey '^I' complete-word
            say() { zle -I; print -r -- "<<$BUFFER>>"; BUFFER= }
            ready() { print READY }
            zle -N say; zle -N zle-line-init ready; bindkey '^X' say
            """;

        // The completion of zsh works at a terminal only: zpty is one.
        const string Script = """
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell 'eval "$SETTINGS"'
            zpty -r shell answer '*READY*'
            for line in "${(@f)TYPED}"; do
                zpty -n -w shell "$line"$'\t\x18'
                zpty -r shell answer '*<<*>>*'
                print -r -- "${${answer##*<<}%%>>*}"
            done
            zpty -d shell
            """;

        Assert.Equal(s_lines.Select(line => line.Typed + line.Added + (line.Added[^1] is '=' or '/' ? "" : " ")),
            await LinesOfShellAsync("zsh", ["-f", "-c", Script], Settings));
    }

    [Fact]
    [External("fish")]
    public async Task Fish_completes_lines()
    {
        const string Script = """
            function coap; dotnet $TOOL $argv; end
            coap completion fish | source
            for line in (string split \n $TYPED); complete -C "$line"; end
            """;

        Assert.Equal(s_lines.Select(line => line.Typed[(line.Typed.LastIndexOf(' ') + 1)..] + line.Added),
            await LinesOfShellAsync("fish", ["--no-config", "-c", Script]));
    }

    [Fact]
    [External("pwsh")]
    public async Task PowerShell_completes_lines()
    {
        const string Script = """
            function coap { dotnet $env:TOOL @args }
            coap completion pwsh | Out-String | Invoke-Expression
            foreach ($line in $env:TYPED -split "`n") {
                $found = [System.Management.Automation.CommandCompletion]::CompleteInput($line, $line.Length, $null)
                $line.Substring(0, $found.ReplacementIndex) + ($found.CompletionMatches.CompletionText -join ' ')
            }
            """;

        Assert.Equal(s_lines.Select(line => line.Typed + line.Added),
            await LinesOfShellAsync("dotnet", ["pwsh", "-NoProfile", "-NonInteractive", "-Command", Script]));
    }

    private static async Task<string[]> LinesOfShellAsync(string shell, IReadOnlyList<string> arguments, string settings = "")
    {
        string output = await Tool.RunAsync(AppContext.BaseDirectory, shell, arguments, new Dictionary<string, string>
        {
            ["TOOL"] = Path.Combine(AppContext.BaseDirectory, "coap.dll"),
            ["TYPED"] = string.Join('\n', s_lines.Select(line => line.Typed)),
            ["SETTINGS"] = settings,
            ["POWERSHELL_TELEMETRY_OPTOUT"] = "1"
        });
        return [.. output.TrimEnd('\n').Split('\n')];
    }
}
