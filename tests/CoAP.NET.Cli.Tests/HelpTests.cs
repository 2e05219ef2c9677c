using System.CommandLine;
using CoAP.NET.Cli.CommandLine;

namespace CoAP.NET.Cli.Tests;

/// <summary>What <c>--help</c> shows.</summary>
public sealed class HelpTests
{
    [Fact]
    public async Task Commands_are_listed_by_importance_with_short_names()
    {
        CliRun run = await CliHarness.RunAsync("--help");

        string[] commands = [.. run.Out[run.Out.IndexOf("Commands:", Ordinal)..].Split('\n').Skip(1)
            .Where(line => line.StartsWith("  ", Ordinal) && line[2] != ' ').Select(line => line.Trim().Split(' ')[0])];
        Assert.Equal(
            ["get", "put", "post", "delete", "fetch", "patch", "ipatch", "observe", "discover", "explore", "register", "ping", "serve",
                "proxy", "decode", "bench", "completion"],
            commands);
        run.HasOut("get <URI>");
        run.HasNoOut("|coap");
    }

    [Fact]
    public async Task Request_options_are_listed_in_groups_before_the_examples()
    {
        CliRun run = await CliHarness.RunAsync("get", "--help");

        string[] headings = [.. run.Out.Split('\n').Where(line => line.EndsWith(':') && line[0] != ' ')];
        Assert.Equal(
            ["Description:", "Usage:", "Arguments:", "Request:", "Payload:", "Output:", "Security:", "Network:", "Repetition:",
                "Groups of servers (multicast):", "Options:", "Examples:"],
            headings);
        run.HasOut("  coap get coap://[::1]/temperature\n");
    }

    [Fact]
    public async Task Each_option_is_listed_once()
    {
        foreach (Command command in CoapTool.CreateRoot(NoContext()).Subcommands)
        {
            CliRun run = await CliHarness.RunAsync(command.Name, "--help");

            run.HasExitCode(ExitCodes.Success);
            string[] lines = run.Out.Split('\n');
            Assert.All(command.Options, option => Assert.Single(lines,
                line => line.StartsWith("  -", Ordinal)
                    && line[2..].Split("  ")[0].Split(' ', ',').Contains(option.Name)));
        }
    }

    [Fact]
    public void Examples_are_valid_command_lines()
    {
        Command root = CoapTool.CreateRoot(NoContext());
        GroupedHelpCommand[] commands = [.. root.Subcommands.OfType<GroupedHelpCommand>()];
        Assert.All(commands, command => Assert.NotEmpty(command.Examples));
        Assert.All(commands.SelectMany(command => command.Examples.Select(example => (command.Name, example))), pair =>
        {
            string[] words = [.. Regex.Matches(pair.example.Split(" | ")[^1], "'([^']*)'|\\S+").Select(word => word.Value.Trim('\''))];
            ParseResult parse = root.Parse(words[1..]);

            Assert.Equal("coap", words[0]);
            Assert.Empty(parse.Errors);
            Assert.Equal(pair.Name, parse.CommandResult.Command.Name);
        });
    }

    private static CliContext NoContext() => new()
    {
        In = Stream.Null,
        Out = new CliOutput(Stream.Null, isTerminal: false),
        Error = new CliOutput(Stream.Null, isTerminal: false),
    };

    [Theory]
    [InlineData(60)]
    [InlineData(100)]
    public async Task No_line_is_wider_than_the_terminal(int width)
    {
        foreach (string command in (string[])["", "get", "observe", "discover", "register", "ping", "serve", "proxy", "decode", "bench",
            "completion"])
        {
            string[] args = command.Length == 0 ? ["--help"] : [command, "--help"];

            CliRun run = await new CliHarness { IsTerminal = true, Width = width }.InvokeAsync(args);

            run.HasExitCode(ExitCodes.Success);
            Assert.All(run.Out.Split('\n'),
                line => Assert.True(line.Length <= width || !line.TrimStart().Contains("  "),
                    $"{command}: {line}"));
        }
    }
}
