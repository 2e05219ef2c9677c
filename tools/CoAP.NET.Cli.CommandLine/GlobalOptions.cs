using System.CommandLine;
using CoAP.NET.Cli.Output;

namespace CoAP.NET.Cli;

/// <summary>The options of several commands: <c>--color</c> of all, <c>--verbose</c> of those that send or receive messages.</summary>
internal static class GlobalOptions
{
    private const string VerboseName = "--verbose";

    public static Option<string> Color { get; } = MakeColor();

    public static Option Verbose() => new Option<int>(VerboseName, "-v")
    {
        Description = "Show headers, times and retransmissions; twice (-vv) all bytes, explained.",
        Arity = ArgumentArity.Zero,
    };

    /// <summary>Returns how often the command line has <c>--verbose</c>: 0, 1 or 2 and more.</summary>
    public static int VerbosityOf(ParseResult parse) =>
        parse.CommandResult.Command.Options.FirstOrDefault(static option => option.Name == VerboseName) is { } verbose
            ? parse.GetResult(verbose)?.IdentifierTokenCount ?? 0
            : 0;

    /// <summary>
    /// Applies the color settings: <c>--color</c> takes precedence over NO_COLOR (no-color.org), which takes precedence over the kind of
    /// stream.
    /// </summary>
    public static void SettleColors(ParseResult parse, CliContext context)
    {
        string color = parse.GetResult(Color) is { Errors: var errors } && !errors.Any() ? parse.GetValue(Color)! : "auto";
        bool isForbidden = context.GetVariable("NO_COLOR") is { Length: > 0 } || context.GetVariable("TERM") == "dumb";
        foreach (CliOutput output in (ReadOnlySpan<CliOutput>)[context.Out, context.Error])
        {
            output.HasColor = color == "always" || (color == "auto" && output.IsTerminal && !isForbidden);
        }
    }

    private static Option<string> MakeColor()
    {
        Option<string> option = new("--color")
        {
            Description = "auto, always or never. auto: on a terminal, unless the environment has NO_COLOR.",
            HelpName = "WHEN",
            Recursive = true,
            DefaultValueFactory = _ => "auto",
        };
        option.AcceptOnlyFromAmong("auto", "always", "never");
        return option;
    }
}
