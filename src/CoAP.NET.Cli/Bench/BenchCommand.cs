using System.CommandLine;
using CoAP.NET.Cli.CommandLine;

namespace CoAP.NET.Cli.Bench;

/// <summary>The load generator: puts load on a server and measures how it answers.</summary>
internal static class BenchCommand
{
    /// <summary>The command's name in its own texts and reports.</summary>
    public const string CalledAs = "coap bench";

    internal static Command Create(CliContext context)
    {
        ToolCommand command = new("bench", "Put load on a server and measure how it answers.")
        {
            Examples =
            [
                "coap bench coap://127.0.0.1/hello --peers 128 --expect 'hello world!'",
                "coap bench coap://127.0.0.1/hello --peers 1000 --loop open --rate 20000 --poisson",
                "coap bench coaps://device.example/state --psk-file meter-7.psk --seconds 1m --timeout 2s",
                "coap bench coap://127.0.0.1/number --peers 1000 --loop observe --rate 10",
            ],
        };
        bool isDrawn = context.Error.IsTerminal && context.GetVariable("TERM") != "dumb";
        new LoadCommand(context, isDrawn ? context.Error.Console : null).AddTo(command);
        new WorkerCommand(context).AddTo(command);
        new ReportCommand(context).AddTo(command);
        return command;
    }
}
