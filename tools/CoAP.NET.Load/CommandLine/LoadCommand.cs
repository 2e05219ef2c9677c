using System.CommandLine;
using System.Net;
using System.Runtime.InteropServices;
using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Progress;
using CoAP.NET.Load.Reporting;
using CoAP.NET.Load.Running;
using CoAP.NET.Load.Workers;
using Spectre.Console;

namespace CoAP.NET.Load.CommandLine;

/// <summary>Runs the load for a URI: one run per level of peers, then the report.</summary>
/// <param name="context">The streams, and cancellation.</param>
/// <param name="usage">Refuses command lines.</param>
/// <param name="terminal">The terminal for the progress display; null to find out whether standard error is one.</param>
internal sealed class LoadCommand(CliContext context, BenchCommandLineErrors usage, IAnsiConsole? terminal)
{
    private readonly LoadOptions _options = new();
    private readonly Option<string?> _workers = new("--workers")
    {
        Description = "Workers that generate the load together instead of this program.",
        HelpName = "HOST:PORT,..."
    };
    private readonly Option<string?> _key = new(WorkerCommand.KeyName)
    {
        Description = "The word that the workers require.",
        HelpName = "WORD"
    };
    private readonly Option<int?> _processor = ProcessorPin.NewOption();
    private readonly Option<string?> _json = new("--json")
    {
        Description = "Writes the report to a file; - for the standard output, which then contains nothing else.",
        HelpName = "FILE"
    };
    private readonly Option<string?> _html = new("--html") { Description = "Writes the report with plots to a file.", HelpName = "FILE" };
    private readonly Option<bool> _strict = new("--strict")
    {
        Description = "Ends with exit code 1 after errors or lost requests, or a run without any answer."
    };
    private readonly Option<bool> _quiet = new("--quiet", "-q") { Description = "Shows nothing until the report." };

    public void AddTo(GroupedHelpCommand command)
    {
        _options.AddTo(command);
        command.AddGroup("Report", _json, _html, _strict, _quiet, _processor);
        command.AddGroup("Workers", _workers, _key);
        command.Runs(context, RunAsync);
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        TextWriter error = parsed.InvocationConfiguration.Error;
        IReadOnlyList<LoadPlan> plans = _options.ToPlans(parsed);
        ReportFiles files = new(parsed.GetValue(_json), parsed.GetValue(_html));
        IReadOnlyList<DnsEndPoint> workers;
        try
        {
            workers = parsed.GetValue(_workers) is { } list ? WorkerAddress.ParseList(list) : [];
        }
        catch (FormatException exception)
        {
            return usage.Refuse(exception.Message);
        }

        if ((plans.Select(PlanRules.FaultOf).FirstOrDefault(static fault => fault is not null)
            ?? LoadOptions.FaultOf(plans[0])
            ?? (workers.Count > 0 && _options.HasSecurity(parsed)
                ? "Keys and certificates do not go to workers. Leave out --workers, or the options of security."
                : null)
            ?? (parsed.GetValue(_key) is not null && workers.Count == 0
                ? $"{WorkerCommand.KeyName} is for --workers, which are missing."
                : null)
            ?? files.Fault
            ?? (workers.Count == 0 ? FaultOfMachine(plans[0]) : null)) is { } fault)
        {
            return usage.Refuse(fault);
        }

        // Shows errors in files now, and not during the run.
        plans[0].Secure?.Invoke(new CoapEndpointOptions());
        if (parsed.GetValue(_processor) is { } processor && ProcessorPin.FaultOf(processor) is { } notPinned)
        {
            return usage.Refuse(notPinned);
        }

        DateTimeOffset begun = TimeProvider.System.GetUtcNow();
        List<LoadResult> runs = [];
        Exception? failure;
        await using (LoadDisplay display = LoadDisplay.On(terminal, error, parsed.GetValue(_quiet)))
        {
            CoordinatorOptions options = new() { Key = parsed.GetValue(_key), Say = display.Say };
            failure = await RunAsync(
                plans, runs, display,
                (plan, token) => workers.Count > 0
                    ? Coordinator.RunAsync(workers, plan, display, options, token)
                    : LoadRunner.RunAsync(plan, display, StartGate.Open, token), cancellationToken).ConfigureAwait(false);
        }

        if (failure is ArgumentException && runs.Count == 0)
        {
            // Only opening the sockets shows that this host lacks something in the plan.
            return usage.Refuse(failure.Message);
        }

        // A failed level does not discard the others' figures.
        LoadReport report = new() { Begun = begun, Machine = Machine(), Command = Command(parsed), Runs = runs };
        bool isWritten = runs.Count == 0 || await files.TryWriteAsync(report, parsed.InvocationConfiguration).ConfigureAwait(false);
        if (failure is not null)
        {
            FailureReporter.Write(context, failure.Message, FailureReporter.Judge(failure).Hint);
        }

        return runs.Count > 0 && isWritten && failure is null && (!parsed.GetValue(_strict) || IsClean(runs, error))
            ? ExitCodes.Success
            : ExitCodes.Failure;
    }

    // Returns what ended the runs early; null for nothing or a local stop.
    private static async Task<Exception?> RunAsync(IReadOnlyList<LoadPlan> plans, List<LoadResult> runs, LoadDisplay display,
        Func<LoadPlan, CancellationToken, Task<LoadResult>> run, CancellationToken cancellationToken)
    {
        foreach (LoadPlan plan in plans.TakeWhile(_ => !cancellationToken.IsCancellationRequested))
        {
            try
            {
                display.BeginLevel(RunLabels.Peers(plan));
                runs.Add(await run(plan, cancellationToken).ConfigureAwait(false));
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                // Ended before it measured anything; the report contains the earlier runs.
            }
            catch (Exception exception) when (exception is ArgumentException or CoapException or DistributedRunException)
            {
                return exception;
            }
        }

        return null;
    }

    private static bool IsClean(List<LoadResult> runs, TextWriter error)
    {
        bool isClean = true;
        foreach (LoadResult run in runs)
        {
            string? reason = run.ErrorCount > 0 || run.Lost > 0 ? $"{run.ErrorCount} errors, {run.Lost} lost"
                : run.Plan.Loop != LoadPacing.Observe && run.Count == 0 ? "no answers"
                : run.Converged < run.Plan.Peers ? $"{run.Plan.Peers - run.Converged} observers do not have the last state"
                : null;
            if (reason is not null)
            {
                isClean = false;
                error.WriteLine($"Failed (--strict): {RunLabels.Peers(run.Plan)}: {reason}.");
            }
        }

        return isClean;
    }

    // Problems that the user should see before the run.
    private static string? FaultOfMachine(LoadPlan plan) =>
        plan.ServerProcess is { } id && OperatingSystem.IsLinux() && !File.Exists($"/proc/{id}/stat") ? $"There is no process {id}." : null;

    private static string Machine() =>
        $"{RuntimeInformation.OSDescription} {RuntimeInformation.OSArchitecture}, {Environment.ProcessorCount} "
            + $"processors, {RuntimeInformation.FrameworkDescription}";

    // Users share reports, so they contain neither keys nor the word of the workers.
    private string Command(ParseResult parsed)
    {
        string[] words = [.. parsed.Tokens.Skip(parsed.CommandResult.Parent is null ? 0 : 1).Select(static token => token.Value)];
        return string.Join(' ',
            [usage.CalledAs,
                .. words.Select((word, i) => i > 0 && words[i - 1] is WorkerCommand.KeyName or "--psk" ? "***"
                    : word.Contains(' ', StringComparison.Ordinal) ? $"'{word}'" : word)]);
    }
}
