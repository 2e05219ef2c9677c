using System.CommandLine;

namespace CoAP.NET.Cli.Tests;

/// <summary>What <c>--help</c> shows.</summary>
public sealed class HelpTests
{
    [Fact]
    public async Task Commands_are_listed_by_importance_with_short_names()
    {
        CliRun run = await CliHarness.RunAsync("--help");

        string[] commands = [.. run.Out[run.Out.IndexOf("Commands:", Ordinal)..run.Out.IndexOf("Examples:", Ordinal)].Split('\n').Skip(1)
            .Where(line => line.StartsWith("  ", Ordinal) && line[2] != ' ').Select(line => line.Trim().Split(' ')[0])];
        Assert.Equal(
            ["get", "put", "post", "delete", "fetch", "patch", "ipatch", "observe", "discover", "explore", "register", "ping", "serve",
                "proxy", "decode", "bench", "completion", "help"],
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
            ["Description:", "Usage:", "Arguments:", "Request:", "Output:", "More options, by topic (coap help get TOPIC, or all):",
                "Options:", "Examples:"],
            headings);
        run.HasOut("  coap get coap://[::1]/temperature\n");
        run.HasOut("  security    --psk, --psk-file, --ca,");
        Assert.InRange(run.Out.Split('\n').Length, 30, 65);
    }

    [Theory]
    [InlineData("get", false)]
    [InlineData("delete", false)]
    [InlineData("put", true)]
    [InlineData("fetch", true)]
    [InlineData("observe", true)]
    public async Task Only_a_method_with_a_payload_has_options_for_it(string command, bool has)
    {
        CliRun help = await CliHarness.RunAsync(command, "--help");
        CliRun refused = await CliHarness.RunAsync(command, "coap://127.0.0.1:1/x", "--payload", "x", "--timeout", "0");

        Assert.Equal(has, help.Out.Contains("--payload", Ordinal));
        refused.HasExitCode(ExitCodes.Usage);
        Assert.Equal(!has, refused.Error.Contains($"'--payload' is not an option of coap {command}.", Ordinal));
    }

    [Theory]
    [InlineData(false, "coap get coap://[::1]/temperature")]
    [InlineData(true, "coap-load coap://127.0.0.1/hello --peers 128")]
    public async Task The_tool_without_arguments_prints_the_help_to_the_error_stream(bool isLoadGenerator, string example)
    {
        CliRun run = await new CliHarness { IsLoadGenerator = isLoadGenerator }.InvokeAsync();

        run.HasExitCode(ExitCodes.Usage);
        Assert.Empty(run.Out);
        run.HasError("Usage:");
        run.HasError(example);
    }

    [Fact]
    public async Task Help_shows_the_commands_or_one_of_them()
    {
        CliRun all = await CliHarness.RunAsync("help");
        CliRun one = await CliHarness.RunAsync("help", "get");
        CliRun below = await CliHarness.RunAsync("help", "bench", "worker");

        Assert.All([all, one, below], run => run.HasExitCode(ExitCodes.Success));
        Assert.Equal((await CliHarness.RunAsync("--help")).Out, all.Out);
        all.HasOut("Commands:");
        all.HasOut("\nExamples:\n  coap get coap://[::1]/temperature\n");
        Assert.Equal((await CliHarness.RunAsync("get", "--help")).Out, one.Out);
        Assert.Equal((await CliHarness.RunAsync("bench", "worker", "--help")).Out, below.Out);
    }

    [Theory]
    [InlineData("network", "--nstart <N>")]
    [InlineData("groups", "--max-answers <N>")]
    [InlineData("security", "--oscore <FILE>")]
    public async Task Help_shows_the_options_of_a_topic(string topic, string expected)
    {
        CliRun run = await CliHarness.RunAsync("help", "get", topic);

        run.HasExitCode(ExitCodes.Success);
        run.HasOut(expected);
        Assert.Single(run.Out.Split('\n'), line => line.EndsWith(':') && line[0] != ' ');
    }

    [Theory]
    [InlineData("'gte' is not a command.", "Did you mean coap get?", "gte")]
    [InlineData("'nothing' is not a topic of coap get.", "Topics: request, message, output, security,", "get", "nothing")]
    [InlineData("'more' follows a topic.", "coap help COMMAND TOPIC", "get", "all", "more")]
    public async Task Help_for_something_unknown_is_refused(string error, string hint, params string[] words)
    {
        CliRun run = await CliHarness.RunAsync(["help", .. words]);

        run.HasExitCode(ExitCodes.Usage);
        run.HasError(error);
        run.HasError(hint);
    }

    [Fact]
    public async Task Each_option_is_listed_once()
    {
        foreach (Command command in CoapTool.CreateRoot(NoContext()).Subcommands)
        {
            CliRun run = command is GroupedHelpCommand
                ? await CliHarness.RunAsync("help", command.Name, "all")
                : await CliHarness.RunAsync(command.Name, "--help");

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
        Assert.All(commands, command => Assert.NotEmpty(command.Examples), throwIfEmpty: true);
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
            "completion", "help"])
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
