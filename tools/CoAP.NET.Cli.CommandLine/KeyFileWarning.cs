using System.CommandLine;
using System.CommandLine.Parsing;
using CoAP.NET.Diagnostics;
using CoAP.NET.Files;
using Spectre.Console;

namespace CoAP.NET.Cli;

/// <summary>Warns of files with secret keys that other users can read or change.</summary>
internal static class KeyFileWarning
{
    private static readonly string[] s_options = ["--psk-file", "--key", "--upstream-psk-file", "--upstream-key", "--oscore"];

    /// <summary>Checks the files that a command line names.</summary>
    /// <param name="parse">The command line.</param>
    /// <param name="context">Gets a line on the error stream for each finding.</param>
    public static void ReportOf(ParseResult parse, CliContext context)
    {
        foreach (OptionResult option in parse.CommandResult.Children.OfType<OptionResult>()
            .Where(static option => s_options.Contains(option.Option.Name)))
        {
            foreach (Token token in option.Tokens)
            {
                string path = KeyFileMode.FileOf(token.Value);
                if (KeyFileMode.ProblemOf(path) is { } problem)
                {
                    context.Error.MarkupLine($"[yellow]warning:[/] {Markup.Escape(CoapUntrustedText.LineOf($"{path}: {problem}"))}");
                }
            }
        }
    }
}
