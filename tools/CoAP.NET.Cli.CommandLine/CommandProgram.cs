using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using System.Runtime.InteropServices;

namespace CoAP.NET.Cli;

/// <summary>A program with a command line: parses it, shows help and errors, and runs a command.</summary>
internal static class CommandProgram
{
    // The width of help in a file or a pager.
    private const int RedirectedWidth = 100;

    // The parser replaces a word @FILE by the words of the file. Here such a word is a payload, a path or a password.
    private static readonly ParserConfiguration s_parser = new() { ResponseFileTokenReplacer = null };

    /// <summary>Runs the program of this process; Ctrl-C and SIGTERM end it cleanly.</summary>
    /// <param name="name">The name of the program.</param>
    /// <param name="args">The words after it.</param>
    /// <param name="create">Creates its root command.</param>
    /// <returns>The exit code, one of <see cref="ExitCodes"/>.</returns>
    public static async Task<int> RunAsync(string name, IReadOnlyList<string> args, Func<CliContext, Command> create)
    {
        using CancellationTokenSource stop = new();
        StopSignals signals = new(stop, TimeProvider.System);
        void OnSignal(PosixSignalContext signal) => signal.Cancel = signals.TryTake();

        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, OnSignal);
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, OnSignal);

        CliContext context = CliContext.ForConsole(name, stop.Token);
        return await RunAsync(create(context), args, context).ConfigureAwait(false);
    }

    /// <summary>Runs a command line.</summary>
    /// <param name="root">The root command.</param>
    /// <param name="args">The words after the name of the program.</param>
    /// <param name="context">Streams, clock and the like.</param>
    /// <returns>The exit code, one of <see cref="ExitCodes"/>.</returns>
    public static async Task<int> RunAsync(Command root, IReadOnlyList<string> args, CliContext context)
    {
        // Without a word the help is the most useful error.
        bool isEmpty = args.Count == 0;
        ParseResult parse = root.Parse(isEmpty ? ["--help"] : args, s_parser);
        GlobalOptions.SettleColors(parse, context);
        if (parse.Action is ParseErrorAction)
        {
            return FailureReporter.Report(context, parse, CommandLineErrors.Of(parse));
        }

        InvocationConfiguration invocation = new()
        {
            Output = isEmpty ? context.Error.Writer : context.Out.Writer,
            Error = context.Error.Writer,
            EnableDefaultExceptionHandler = false,

            // The context handles signals.
            ProcessTerminationTimeout = null,
        };
        try
        {
            int code = await parse.InvokeAsync(invocation, context.Stopped).ConfigureAwait(false);
            return isEmpty ? ExitCodes.Usage : code;
        }
        catch (IOException exception)
        {
            // Help whose reader has closed the pipe after the first lines.
            return FailureReporter.Report(context, parse, exception);
        }
        catch (OperationCanceledException) when (context.Stopped.IsCancellationRequested)
        {
            // Not even the error stream has a reader.
            return ExitCodes.Cancelled;
        }
    }

    /// <summary>Parses the words of a command line.</summary>
    public static ParseResult Parse(Command root, IReadOnlyList<string> args) => root.Parse(args, s_parser);

    /// <summary>Adds the options of the whole program to its root command.</summary>
    /// <param name="root">The root command.</param>
    /// <param name="context">Has the width of the help.</param>
    /// <param name="examples">The examples of a root command that has none of its own.</param>
    public static void AddOptions(Command root, CliContext context, params IReadOnlyList<string> examples)
    {
        root.Options.Add(GlobalOptions.Color);
        HelpOption help = OptionOf<HelpOption>(root);
        help.Description = "Show help.";

        // The parser's names for Windows are paths here, as in --map /h=URI.
        help.Aliases.Remove("/h");
        help.Aliases.Remove("/?");
        help.Action = new CommandHelp(context.Out.IsTerminal ? context.Out.Width : RedirectedWidth, examples);
        OptionOf<VersionOption>(root).Description = "Show the version.";
    }

    // A root command has them already.
    private static T OptionOf<T>(Command root)
        where T : Option, new()
    {
        if (root.Options.OfType<T>().SingleOrDefault() is { } present)
        {
            return present;
        }

        T option = new();
        root.Options.Add(option);
        return option;
    }
}
