using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>Shows the help of a command, with only the names of its parents, whose arguments it does not take.</summary>
/// <param name="width">The columns of a line.</param>
internal sealed class CommandHelp(int width) : SynchronousCommandLineAction
{
    private readonly HelpAction _help = new() { MaxWidth = width };

    public override int Invoke(ParseResult parseResult)
    {
        for (Command? above = AboveOf(parseResult.CommandResult.Command); above is not null; above = AboveOf(above))
        {
            foreach (Argument argument in above.Arguments)
            {
                argument.Hidden = true;
            }
        }

        return _help.Invoke(parseResult);
    }

    private static Command? AboveOf(Command command) => command.Parents.OfType<Command>().FirstOrDefault();
}
