using System.CommandLine;

namespace CoAP.NET.Cli.Bench;

/// <summary>The load generator: puts load on a server and measures how it answers.</summary>
internal static class BenchCommand
{
    /// <summary>The command's name in its own texts and reports.</summary>
    public const string CalledAs = "coap bench";

    internal static Command Create(CliContext context)
    {
        Command command = new("bench", "Put load on a server and measure how it answers.");
        bool isDrawn = context.Error.IsTerminal && context.GetVariable("TERM") != "dumb";
        new LoadCommand(isDrawn ? context.Error.Console : null).AddTo(command);
        new WorkerCommand().AddTo(command);
        new ReportCommand().AddTo(command);
        return command;
    }
}
