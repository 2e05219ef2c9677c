using System.CommandLine;
using System.CommandLine.Parsing;

namespace CoAP.NET.Cli.Bench;

/// <summary>Command lines of <c>coap bench</c> that ask for what cannot be.</summary>
internal static class BenchUsage
{
    /// <summary>Refuses a command that stands behind a URI, which it would ignore.</summary>
    public static void ComesFirst(Command command) => command.Validators.Add(result =>
    {
        if (result.Parent is CommandResult parent
            && parent.Children.OfType<ArgumentResult>().Any(static argument => argument.Tokens.Count > 0))
        {
            result.AddError($"'{command.Name}' is a command of its own and comes first.");
        }
    });

    /// <summary>Says why a command line is refused.</summary>
    /// <returns>The exit code.</returns>
    public static int Refuse(TextWriter error, params IEnumerable<string> reasons)
    {
        foreach (string reason in reasons)
        {
            error.WriteLine(reason);
        }

        error.WriteLine($"{BenchCommand.CalledAs} --help tells what there is.");
        return ExitCodes.Usage;
    }
}
