using System.CommandLine;
using CoAP.NET.Load;

namespace CoAP.NET.Cli.Benching;

/// <summary>The load generator, as a command of the tool.</summary>
internal static class BenchCommand
{
    internal static Command Create(CliContext context)
    {
        Command command = new("bench", "Put load on a server and measure how it answers.");
        bool isDrawn = context.Error.IsTerminal && context.GetVariable("TERM") != "dumb";
        LoadProgram.AddTo(command, "coap bench", isDrawn ? context.Error.Console : null);
        return command;
    }
}
