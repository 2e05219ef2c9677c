using System.CommandLine;
using System.Diagnostics;

namespace CoAP.NET.Cli.Tests;

/// <summary>The manual page of the package is that of the commands; COAP_WRITE_DOCS=1 writes it.</summary>
public sealed class ManualPageTests
{
    private static readonly string s_file = Path.Combine(Repository.FolderOf("CoAP.NET.Cli"), "coap.1");

    [Fact]
    public async Task The_page_of_the_package_is_that_of_the_commands()
    {
        CliRun run = await CliHarness.RunAsync("help", "--man");

        run.HasExitCode(ExitCodes.Success);
        if (Environment.GetEnvironmentVariable("COAP_WRITE_DOCS") == "1")
        {
            await File.WriteAllTextAsync(s_file, run.Out);
        }

        Assert.Equal((await File.ReadAllTextAsync(s_file)).ReplaceLineEndings("\n"), run.Out);
    }

    [Fact]
    public async Task The_manual_page_has_every_command_option_and_exit_code()
    {
        string page = (await CliHarness.RunAsync("help", "--man")).Out.Replace("\\-", "-", Ordinal);
        Command root = CoapTool.CreateRoot(new CliContext
        {
            In = Stream.Null,
            Out = new CliOutput(Stream.Null, isTerminal: false),
            Error = new CliOutput(Stream.Null, isTerminal: false),
        });
        string[] rows = [.. page.Split('\n').Where(line => line.StartsWith(".B ", Ordinal))];

        Assert.All(root.Subcommands, command => page.Mentions($".SS \"coap {command.Name}"), throwIfEmpty: true);
        Assert.All(root.Subcommands.SelectMany(command => command.Options), option => Assert.Contains(rows,
            row => row[3..].Split(' ', ',').Contains(option.Name)), throwIfEmpty: true);
        Assert.All(ExitCodes.Meanings, row => Assert.Contains($".B {row.Code}", rows), throwIfEmpty: true);
        Assert.Single(rows, row => row.Contains("--ack-timeout", Ordinal));
    }

    [Fact]
    [External("man")]
    public async Task The_page_is_readable_by_man_without_warnings()
    {
        using Process man = Process.Start(new ProcessStartInfo("man", ["--warnings", "-l", s_file])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            Environment = { ["MANPAGER"] = "cat", ["MANWIDTH"] = "100" },
        })!;
        Task<string> warnings = man.StandardError.ReadToEndAsync();
        string text = await man.StandardOutput.ReadToEndAsync();

        Assert.Empty(await warnings);
        text.Mentions("EXIT STATUS");
        text.Mentions("--retransmission-timing");
    }
}
