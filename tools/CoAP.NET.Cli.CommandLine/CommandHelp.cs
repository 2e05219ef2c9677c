using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace CoAP.NET.Cli;

/// <summary>
/// Shows the help of a command, with only the names of its parents, whose arguments it does not take, and with the groups and examples of a
/// <see cref="GroupedHelpCommand"/>.
/// </summary>
/// <param name="width">The columns of a line.</param>
/// <param name="examples">The examples of the root command.</param>
internal sealed class CommandHelp(int width, IReadOnlyList<string> examples) : SynchronousCommandLineAction
{
    /// <summary>The topic that has the options of all groups.</summary>
    public const string AllTopics = "all";

    // The parser's own heading of options.
    private const string OtherOptions = "Options:";

    private readonly HelpAction _help = new() { MaxWidth = width };

    /// <summary>Returns the topics of a command: the words that stand for its groups.</summary>
    public static IEnumerable<string> TopicsOf(Command command) => command is GroupedHelpCommand tool
        ? tool.Groups.Select(static group => HelpGroup.TopicOf(group.Title)).Distinct().Append(AllTopics)
        : [];

    public override int Invoke(ParseResult parseResult)
    {
        Command command = parseResult.CommandResult.Command;
        for (Command? above = AboveOf(command); above is not null; above = AboveOf(above))
        {
            foreach (Argument argument in above.Arguments)
            {
                argument.Hidden = true;
            }
        }

        if (command is GroupedHelpCommand tool)
        {
            return Invoke(parseResult, tool);
        }

        int code = _help.Invoke(parseResult);
        if (AboveOf(command) is null)
        {
            WriteExamples(parseResult.InvocationConfiguration.Output, examples);
        }

        return code;
    }

    /// <summary>Writes the options of a topic.</summary>
    /// <param name="command">The command.</param>
    /// <param name="topic">One of <see cref="TopicsOf"/>.</param>
    /// <param name="output">The output.</param>
    public void WriteTopic(GroupedHelpCommand command, string topic, TextWriter output)
    {
        (string Title, List<Option> Options)[] groups =
            [.. command.Groups.Where(group => topic == AllTopics || HelpGroup.TopicOf(group.Title) == topic)];
        WriteGroups(output, groups);
    }

    // The parser writes everything but the groups.
    private int Invoke(ParseResult parse, GroupedHelpCommand command)
    {
        InvocationConfiguration invocation = parse.InvocationConfiguration;
        TextWriter output = invocation.Output;
        using StringWriter rest = new() { NewLine = "\n" };
        SetHidden(command, isHidden: true);
        invocation.Output = rest;
        int code;
        try
        {
            code = _help.Invoke(parse);
        }
        finally
        {
            invocation.Output = output;
            SetHidden(command, isHidden: false);
        }

        string text = rest.ToString().ReplaceLineEndings("\n").TrimEnd('\n');
        int at = text.IndexOf($"\n{OtherOptions}\n", StringComparison.Ordinal) + 1;
        output.Write(text[..at]);
        WriteGroups(output, command.Groups.Where(group => !command.Folded.Contains(group.Title)));
        WriteFolded(output, command);
        output.Write($"{text[at..]}\n\n");
        WriteExamples(output, command.Examples);
        return code;
    }

    private void WriteGroups(TextWriter output, params IEnumerable<(string Title, List<Option> Options)> groups)
    {
        HelpTable table = new(groups.SelectMany(static group => group.Options), width);
        foreach ((string title, List<Option> options) in groups)
        {
            output.Write($"{title}:\n");
            table.Write(output, options);
            output.Write("\n");
        }
    }

    private void WriteFolded(TextWriter output, GroupedHelpCommand command)
    {
        (string Topic, string Names)[] rows = [.. command.Groups.Where(group => command.Folded.Contains(group.Title)).Select(
            static group => (HelpGroup.TopicOf(group.Title), string.Join(", ", group.Options.Select(static option => option.Name))))];
        if (rows.Length > 0)
        {
            output.Write($"More options, by topic (coap help {command.Name} TOPIC, or {AllTopics}):\n");
            new HelpTable(rows.Select(static row => row.Topic), width).Write(output, rows);
            output.Write("\n");
        }
    }

    private static void WriteExamples(TextWriter output, IReadOnlyList<string> examples)
    {
        if (examples.Count > 0)
        {
            output.Write($"Examples:\n{string.Concat(examples.Select(static example => $"  {example}\n"))}\n");
        }
    }

    private static void SetHidden(GroupedHelpCommand command, bool isHidden)
    {
        foreach (Option option in command.Groups.SelectMany(static group => group.Options))
        {
            option.Hidden = isHidden;
        }
    }

    private static Command? AboveOf(Command command) => command.Parents.OfType<Command>().FirstOrDefault();
}
