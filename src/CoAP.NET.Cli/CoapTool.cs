using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using CoAP.NET.Cli.Bench;
using CoAP.NET.Cli.CommandLine;
using CoAP.NET.Cli.Commands;
using CoAP.NET.Cli.Decoding;
using CoAP.NET.Cli.Discovering;
using CoAP.NET.Cli.Exploring;
using CoAP.NET.Cli.Output;
using CoAP.NET.Cli.Proxying;
using CoAP.NET.Cli.Registering;
using CoAP.NET.Cli.Serving;

namespace CoAP.NET.Cli;

/// <summary>The tool with its commands.</summary>
internal static class CoapTool
{
    // The width of help in a file or a pager.
    private const int RedirectedWidth = 100;

    // The parser replaces a word @FILE by the words of the file. Here such a word is a payload, a path or a password.
    private static readonly ParserConfiguration s_parser = new() { ResponseFileTokenReplacer = null };

    /// <summary>Runs a command line.</summary>
    /// <param name="args">The words after <c>coap</c>.</param>
    /// <param name="context">Streams, clock and the like.</param>
    /// <returns>The exit code, one of <see cref="ExitCodes"/>.</returns>
    public static async Task<int> RunAsync(IReadOnlyList<string> args, CliContext context)
    {
        ParseResult parse = CreateRoot(context).Parse(args, s_parser);
        GlobalOptions.SettleColors(parse, context);
        if (parse.Action is ParseErrorAction)
        {
            return Failures.Report(context, parse, Refusal.Of(parse));
        }

        InvocationConfiguration invocation = new()
        {
            Output = context.Out.Writer,
            Error = context.Error.Writer,
            EnableDefaultExceptionHandler = false,

            // The context handles signals.
            ProcessTerminationTimeout = null,
        };
        try
        {
            return await parse.InvokeAsync(invocation, context.Stopped).ConfigureAwait(false);
        }
        catch (IOException exception)
        {
            // Help whose reader has closed the pipe after the first lines.
            return Failures.Report(context, parse, exception);
        }
    }

    /// <summary>Creates the command line.</summary>
    /// <param name="context">The environment of the commands.</param>
    public static RootCommand CreateRoot(CliContext context)
    {
        RootCommand root = new("CoAP from the command line: requests, observation, discovery, files, decoding, load.");
        foreach (Command command in (Command[])
            [
                .. RequestCommand.CreateAll(context),
                ObserveCommand.Create(context),
                DiscoverCommand.Create(context),
                ExploreCommand.Create(context),
                RegisterCommand.Create(context),
                PingCommand.Create(context),
                ServeCommand.Create(context),
                ProxyCommand.Create(context),
                DecodeCommand.Create(context),
                BenchCommand.Create(context),
                CompletionCommand.Create(context),
            ])
        {
            root.Subcommands.Add(command);
        }

        GlobalOptions.AddTo(root);
        HelpOption help = root.Options.OfType<HelpOption>().Single();
        help.Description = "Show help.";

        // The parser's names for Windows are paths here, as in --map /h=URI.
        help.Aliases.Remove("/h");
        help.Aliases.Remove("/?");
        help.Action = new CommandHelp(context.Out.IsTerminal ? context.Out.Width : RedirectedWidth);
        root.Options.OfType<VersionOption>().Single().Description = "Show the version.";
        return root;
    }
}
