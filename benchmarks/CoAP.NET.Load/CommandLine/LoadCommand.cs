using System.CommandLine;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace CoAP.NET.Load;

/// <summary>What the program does when it is called with a URI: a run for each level of peers, then the report.</summary>
internal sealed class LoadCommand
{
    private readonly LoadOptions _options = new();
    private readonly Option<int?> _processor = new("--processor") { Description = "Keeps this program on one processor.", HelpName = "N" };
    private readonly Option<string?> _json = new("--json") { Description = "Writes the report to a file; - for the standard output, where nothing else stands then.", HelpName = "FILE" };
    private readonly Option<bool> _strict = new("--strict") { Description = "Ends with exit code 1 when there were errors or lost requests." };

    public void AddTo(RootCommand command)
    {
        _options.AddTo(command);
        command.Add(_processor);
        command.Add(_json);
        command.Add(_strict);
        command.SetAction(RunAsync);
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        TextWriter error = parsed.InvocationConfiguration.Error;
        IReadOnlyList<LoadPlan> plans = _options.ToPlans(parsed);
        string? json = parsed.GetValue(_json);
        if ((plans.Select(PlanRules.FaultOf).FirstOrDefault(static fault => fault is not null) ?? FaultOfMachine(plans[0], json)) is { } fault)
        {
            return ExitCode.Refuse(error, fault);
        }

        // First of all: threads that are begun later stay where this one is.
        if (parsed.GetValue(_processor) is { } processor && !TryPin(processor))
        {
            return ExitCode.Refuse(error, $"This program cannot be kept on processor {processor}.");
        }

        DateTimeOffset begun = TimeProvider.System.GetUtcNow();
        List<LoadResult> runs = [];
        foreach (LoadPlan plan in plans)
        {
            try
            {
                runs.Add(await LoadRunner.RunAsync(plan, progress: null, cancellationToken).ConfigureAwait(false));
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                // Ended before it measured anything; what was measured before is told.
            }
            catch (ArgumentException exception)
            {
                // Only opening sockets tells that this host does not have what the plan wants.
                return ExitCode.Refuse(error, exception.Message);
            }
            catch (CoapException exception)
            {
                await error.WriteLineAsync(exception.Message).ConfigureAwait(false);
                return ExitCode.Failed;
            }

            if (cancellationToken.IsCancellationRequested)
            {
                break;
            }
        }

        LoadReport report = new() { Begun = begun, Machine = Machine(), Command = Command(parsed), Runs = runs };
        if (!await TryWriteAsync(report, json, parsed.InvocationConfiguration).ConfigureAwait(false))
        {
            return ExitCode.Failed;
        }

        bool isClean = runs.All(static run => run.Lost == 0 && run.ErrorCount == 0);
        return runs.Count == 0 ? ExitCode.Failed : parsed.GetValue(_strict) && !isClean ? ExitCode.Failed : ExitCode.Done;
    }

    private static async Task<bool> TryWriteAsync(LoadReport report, string? json, InvocationConfiguration streams)
    {
        // Whoever reads JSON from the standard output wants nothing else there.
        ReportTable.Write(json == "-" ? streams.Error : streams.Output, report);
        if (json == "-")
        {
            await streams.Output.WriteLineAsync(report.ToJson()).ConfigureAwait(false);
        }
        else if (json is not null)
        {
            try
            {
                await File.WriteAllTextAsync(json, report.ToJson()).ConfigureAwait(false);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                await streams.Error.WriteLineAsync(exception.Message).ConfigureAwait(false);
                return false;
            }
        }

        return true;
    }

    // What is better said now than after the run.
    private static string? FaultOfMachine(LoadPlan plan, string? json)
    {
        if (json is not null and not "-" && Path.GetDirectoryName(Path.GetFullPath(json)) is { } directory && !Directory.Exists(directory))
        {
            return $"'{json}' cannot be written: there is no directory '{directory}'.";
        }

        return plan.ServerProcess is { } id && OperatingSystem.IsLinux() && !File.Exists($"/proc/{id}/stat") ? $"There is no process {id}." : null;
    }

    private static bool TryPin(int processor)
    {
        if (processor is < 0 or > 63 || processor >= nint.Size * 8 || !(OperatingSystem.IsLinux() || OperatingSystem.IsWindows()))
        {
            return false;
        }

        try
        {
            using Process self = Process.GetCurrentProcess();
            self.ProcessorAffinity = (nint)(1L << processor);
            return true;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return false;
        }
    }

    private static string Machine() => $"{RuntimeInformation.OSDescription} {RuntimeInformation.OSArchitecture}, {Environment.ProcessorCount} processors, {RuntimeInformation.FrameworkDescription}";

    private static string Command(ParseResult parsed) => string.Join(' ', [LoadProgram.Name, .. parsed.Tokens.Select(static token => token.Value.Contains(' ', StringComparison.Ordinal) ? $"'{token.Value}'" : token.Value)]);
}
