using System.CommandLine;
using Spectre.Console;

namespace CoAP.NET.Load;

/// <summary>The program: reads its command line and does what that says.</summary>
internal static class LoadProgram
{
    public const string Name = "CoAP.NET.Load";

    // A run that Ctrl-C ends closes its sockets and writes its report; it does not take that long.
    private static readonly TimeSpan s_longestEnd = TimeSpan.FromSeconds(30);

    /// <summary>How it was called, for its own texts and reports.</summary>
    public static string CalledAs { get; private set; } = Name;

    /// <summary>Makes it a command of another program.</summary>
    /// <param name="command">The command.</param>
    /// <param name="calledAs">What a user types to call it.</param>
    /// <param name="terminal">The terminal on which it may draw; null for none.</param>
    public static void AddTo(Command command, string calledAs, IAnsiConsole? terminal)
    {
        CalledAs = calledAs;
        new LoadCommand(terminal).AddTo(command);
        new WorkerCommand().AddTo(command);
        new ReportCommand().AddTo(command);
    }

    /// <summary>Runs it.</summary>
    /// <param name="args">The command line.</param>
    /// <param name="output">Where the report goes.</param>
    /// <param name="error">Where everything else goes.</param>
    /// <param name="cancellationToken">Ends it like Ctrl-C.</param>
    /// <returns>The exit code.</returns>
    public static async Task<int> RunAsync(string[] args, TextWriter output, TextWriter error, CancellationToken cancellationToken = default)
    {
        RootCommand root = new("Puts load on a CoAP server and measures how it answers.");
        bool isOther = args is [WorkerCommand.Name or ReportCommand.Name, ..];
        if (!isOther)
        {
            // Their help would say that they need a URI too.
            new LoadCommand(terminal: null).AddTo(root);
        }

        new WorkerCommand().AddTo(root);
        new ReportCommand().AddTo(root);
        ParseResult parsed = root.Parse(args);
        if (!isOther && parsed.CommandResult.Command != root && parsed.Errors.Count == 0)
        {
            return ExitCode.Refuse(error, $"'{parsed.CommandResult.Command.Name}' is a command of its own and comes first.");
        }

        return parsed.Errors.Count > 0
            ? ExitCode.Refuse(error, parsed.Errors.Select(static fault => fault.Message))
            : await parsed.InvokeAsync(
                new InvocationConfiguration { Output = output, Error = error, EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = s_longestEnd },
                cancellationToken).ConfigureAwait(false);
    }
}
