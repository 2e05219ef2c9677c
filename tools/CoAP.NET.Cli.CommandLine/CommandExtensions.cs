using System.CommandLine;

namespace CoAP.NET.Cli;

internal static class CommandExtensions
{
    /// <summary>Sets the action of a command. An exception becomes a sentence on the error stream and an exit code.</summary>
    /// <param name="command">The command.</param>
    /// <param name="context">Its context.</param>
    /// <param name="run">The action; Ctrl-C and SIGTERM cancel its token. Returns the exit code.</param>
    /// <returns>The command.</returns>
    public static Command Runs(this Command command, CliContext context, Func<ParseResult, CancellationToken, Task<int>> run)
    {
        command.SetAction(async (parse, _) =>
        {
            try
            {
                try
                {
                    KeyFileWarning.ReportOf(parse, context);
                    return await run(parse, context.Stopped).ConfigureAwait(false);
                }
                finally
                {
                    await context.EndAsync().ConfigureAwait(false);
                }
            }
#pragma warning disable CA1031 // a tool ends with a sentence, not with a stack trace
            catch (Exception exception)
#pragma warning restore CA1031
            {
                return FailureReporter.Report(context, parse, exception);
            }
        });
        return command;
    }

    /// <summary>Creates an option with a number and its range.</summary>
    public static Option<int?> Number(string name, string description, int min, int max, params string[] aliases)
    {
        Option<int?> option = new(name, aliases) { Description = description, HelpName = "N" };
        option.Validators.Add(result =>
        {
            if (result.Tokens is [{ Value: var text }] && (!int.TryParse(text, out int value) || value < min || value > max))
            {
                result.AddError($"{name} takes a number from {min} to {max}, not '{text}'.");
            }
        });
        return option;
    }
}
