using System.CommandLine;
using CoAP.NET.Load;

namespace CoAP.NET.Cli.Benching;

/// <summary>The load generator, as a command of the tool.</summary>
internal static class BenchCommand
{
    internal static Command Create(CliContext context)
    {
        Command command = new("bench", "Put load on a server and measure how it answers.");
        LoadProgram.AddTo(command, "coap bench");
        return command;
    }
}
