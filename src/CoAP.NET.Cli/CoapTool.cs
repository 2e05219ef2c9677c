using System.CommandLine;
using System.CommandLine.Invocation;
using CoAP.NET.Cli.Benching;
using CoAP.NET.Cli.CommandLine;
using CoAP.NET.Cli.Commands;
using CoAP.NET.Cli.Decoding;
using CoAP.NET.Cli.Discovering;
using CoAP.NET.Cli.Output;
using CoAP.NET.Cli.Serving;

namespace CoAP.NET.Cli;

/// <summary>The tool: its commands, and one run of it.</summary>
internal static class CoapTool
{
    /// <summary>Runs a command line.</summary>
    /// <param name="args">The words after <c>coap</c>.</param>
    /// <param name="context">Streams, clock and the like.</param>
    /// <returns>The exit code, one of <see cref="ExitCodes"/>.</returns>
    public static async Task<int> RunAsync(IReadOnlyList<string> args, CliContext context)
    {
        ParseResult parse = CreateRoot(context).Parse(args);
        GlobalOptions.SettleColors(parse, context);
        if (parse.Action is ParseErrorAction)
        {
            return Failures.Report(context, parse, Refuse(parse));
        }

        InvocationConfiguration invocation = new()
        {
            Output = context.Out.Writer,
            Error = context.Error.Writer,
            EnableDefaultExceptionHandler = false,

            // Signals are the context's.
            ProcessTerminationTimeout = null,
        };
        try
        {
            return await parse.InvokeAsync(invocation, context.Stopped).ConfigureAwait(false);
        }
        catch (IOException exception)
        {
            // Help, of which somebody reads the first lines only.
            return Failures.Report(context, parse, exception);
        }
    }

    // Of a command that there is none of, the parser complains once for itself and once for each word after it.
    private static UsageException Refuse(ParseResult parse) => parse.CommandResult.Command is RootCommand && parse.UnmatchedTokens is [var word, ..] && !word.StartsWith('-')
        ? new UsageException($"'{word}' is no command.", word.Contains("://", StringComparison.Ordinal) ? $"coap get {word}, perhaps? coap --help lists the commands." : "coap --help lists the commands.")
        : new UsageException(string.Join(' ', parse.Errors.Select(error => error.Message)));

    /// <summary>Makes the command line.</summary>
    /// <param name="context">What the commands work with.</param>
    public static RootCommand CreateRoot(CliContext context)
    {
        RootCommand root = new("CoAP from the command line: requests, observation, discovery, files, decoding, load.")
        {
            ObserveCommand.Create(context),
            PingCommand.Create(context),
            CompletionCommand.Create(context),
            DecodeCommand.Create(context),
            DiscoverCommand.Create(context),
            ServeCommand.Create(context),
            BenchCommand.Create(context),
        };
        foreach (Command command in RequestCommand.CreateAll(context))
        {
            root.Subcommands.Add(command);
        }

        GlobalOptions.AddTo(root);
        return root;
    }
}
