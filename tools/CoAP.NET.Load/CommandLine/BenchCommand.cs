using System.CommandLine;

namespace CoAP.NET.Load.CommandLine;

/// <summary>The load generator: puts load on a server and measures how it answers.</summary>
internal static class BenchCommand
{
    /// <summary>Creates the command.</summary>
    /// <param name="context">The streams, and cancellation.</param>
    /// <param name="name">Its name.</param>
    /// <param name="calledAs">How it is called from a shell: for its examples, errors and reports.</param>
    internal static Command Create(CliContext context, string name, string calledAs)
    {
        GroupedHelpCommand command = new(name, "Put load on a server and measure how it answers.")
        {
            Examples =
            [
                $"{calledAs} coap://127.0.0.1/hello --peers 128 --expect 'hello world!'",
                $"{calledAs} coap://127.0.0.1/hello --peers 1000 --loop open --rate 20000 --poisson",
                $"{calledAs} coaps://device.example/state --psk-file meter-7.psk --seconds 1m --timeout 2s",
                $"{calledAs} coap://127.0.0.1/number --peers 1000 --loop observe --rate 10",
            ],
        };
        BenchCommandLineErrors usage = new(context, calledAs);
        bool isDrawn = context.Error.IsTerminal && context.GetVariable("TERM") != "dumb";
        new LoadCommand(context, usage, isDrawn ? context.Error.Console : null).AddTo(command);
        new WorkerCommand(context, usage).AddTo(command);
        new ReportCommand(context, usage).AddTo(command);
        return command;
    }
}
