using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>
/// Shows the help of a command, with only the names of its parents, whose arguments it does not take, and with the groups and examples of a
/// <see cref="GroupedHelpCommand"/>.
/// </summary>
internal sealed class CommandHelp(int width) : SynchronousCommandLineAction
{
    // The parser's own heading of options.
    private const string OtherOptions = "Options:";

    private readonly HelpAction _help = new() { MaxWidth = width };

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

        return command is GroupedHelpCommand tool ? Invoke(parseResult, tool) : _help.Invoke(parseResult);
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
        HelpOptionTable table = new(command.Groups.SelectMany(static group => group.Options), width);
        output.Write(text[..at]);
        foreach ((string title, List<Option> options) in command.Groups)
        {
            output.Write($"{title}:\n");
            table.Write(output, options);
            output.Write("\n");
        }

        output.Write($"{text[at..]}\n");
        if (command.Examples.Count > 0)
        {
            output.Write($"\nExamples:\n{string.Concat(command.Examples.Select(static example => $"  {example}\n"))}");
        }

        output.Write("\n");
        return code;
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
