using System.CommandLine;
using CoAP.NET.Cli.Commands;
using CoAP.NET.Cli.Decoding;
using CoAP.NET.Cli.Discovering;
using CoAP.NET.Cli.Exploring;
using CoAP.NET.Cli.Proxying;
using CoAP.NET.Cli.Registering;
using CoAP.NET.Cli.Serving;
using CoAP.NET.Load.CommandLine;

namespace CoAP.NET.Cli;

internal static class CoapTool
{
    /// <summary>Runs a command line.</summary>
    /// <param name="args">The words after <c>coap</c>.</param>
    /// <param name="context">The environment of the commands.</param>
    /// <returns>The exit code, one of <see cref="ExitCodes"/>.</returns>
    public static Task<int> RunAsync(IReadOnlyList<string> args, CliContext context) =>
        CommandProgram.RunAsync(CreateRoot(context), args, context);

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
                BenchCommand.Create(context, "bench", "coap bench"),
                CompletionCommand.Create(context),
                HelpCommand.Create(context),
            ])
        {
            root.Subcommands.Add(command);
        }

        CommandProgram.AddOptions(
            root, context, "coap get coap://[::1]/temperature", "coap observe coap://[::1]/temperature", "coap help get");
        return root;
    }
}
