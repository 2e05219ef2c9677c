using System.CommandLine;
using System.CommandLine.Parsing;

namespace CoAP.NET.Load.CommandLine;

/// <summary>Errors of the load generator's command lines.</summary>
internal sealed class BenchCommandLineErrors(CliContext context, string calledAs)
{
    public string CalledAs { get; } = calledAs;

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
    public int Refuse(string reason)
    {
        FailureReporter.Write(context, reason, $"{CalledAs} --help lists the options.");
        return ExitCodes.Usage;
    }
}
