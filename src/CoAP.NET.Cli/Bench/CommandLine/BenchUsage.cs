using System.CommandLine;
using System.CommandLine.Parsing;

namespace CoAP.NET.Cli.Bench;

/// <summary>Errors of <c>coap bench</c> command lines.</summary>
internal static class BenchUsage
{
    /// <summary>Rejects a command after a URI, which it would ignore.</summary>
    public static void ComesFirst(Command command) => command.Validators.Add(result =>
    {
        if (result.Parent is CommandResult parent
            && parent.Children.OfType<ArgumentResult>().Any(static argument => argument.Tokens.Count > 0))
        {
            result.AddError($"'{command.Name}' is a command of its own and comes first.");
        }
    });

    /// <summary>Writes why a command line is refused.</summary>
    /// <returns>The exit code.</returns>
    public static int Refuse(CliContext context, string reason)
    {
        Failures.Write(context, reason, $"{BenchCommand.CalledAs} --help lists the options.");
        return ExitCodes.Usage;
    }
}
