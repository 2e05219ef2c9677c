using System.CommandLine;
using System.Net;
using System.Net.Sockets;
using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Running;
using CoAP.NET.Load.Workers;

namespace CoAP.NET.Load.CommandLine;

/// <summary>Runs the program as a worker, for coordinators.</summary>
internal sealed class WorkerCommand(CliContext context, BenchCommandLineErrors usage)
{
    public const string Name = "worker";
    public const string KeyName = "--worker-key";

    private readonly Option<string?> _listen = new("--listen")
    {
        Description = $"The address for coordinators; port 0 for any. Default: {WorkerAddress.DefaultListen}, reachable only from this "
            + "machine.",
        HelpName = "HOST:PORT"
    };
    private readonly Option<string?> _key = new(KeyName)
    {
        Description = "A word that coordinators must know. They send it unencrypted.",
        HelpName = "WORD"
    };
    private readonly Option<int?> _processor = ProcessorPin.NewOption();

    public void AddTo(Command root)
    {
        Command command = new(Name, "Generates load for coordinators (--workers) until you stop it.")
        {
            _listen, _key, _processor
        };
        command.Runs(context, RunAsync);
        BenchCommandLineErrors.ComesFirst(command);
        root.Add(command);
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        IPEndPoint listen;
        try
        {
            listen = parsed.GetValue(_listen) is { } text ? WorkerAddress.ParseListen(text) : WorkerAddress.DefaultListen;
        }
        catch (FormatException exception)
        {
            return usage.Refuse(exception.Message);
        }

        if (parsed.GetValue(_processor) is { } processor && ProcessorPin.FaultOf(processor) is { } fault)
        {
            return usage.Refuse(fault);
        }

        // Several conversations write lines.
        TextWriter output = TextWriter.Synchronized(parsed.InvocationConfiguration.Output);
        try
        {
            await Worker.ServeAsync(listen, RunAsync, new WorkerOptions { Key = parsed.GetValue(_key), Say = output.WriteLine },
                cancellationToken).ConfigureAwait(false);
            return ExitCodes.Success;
        }
        catch (SocketException exception)
        {
            FailureReporter.Write(context, $"Cannot listen on {listen}: {exception.Message}.");
            return ExitCodes.Failure;
        }
    }

    // The coordinator gets faults of the plan or of this machine as a sentence, not as a crash.
    private static async Task<LoadResult> RunAsync(LoadPlan plan, IProgress<LoadProgress> progress, StartGate gate,
        CancellationToken cancellationToken)
    {
        try
        {
            return PlanRules.FaultOf(plan) is { } fault
                ? throw new DistributedRunException(WorkerProtocolErrorCodes.Failed, "the plan is refused: " + fault)
                : await LoadRunner.RunAsync(plan, progress, gate, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is ArgumentException or CoapException)
        {
            throw new DistributedRunException(WorkerProtocolErrorCodes.Failed, exception.Message, exception);
        }
    }
}
