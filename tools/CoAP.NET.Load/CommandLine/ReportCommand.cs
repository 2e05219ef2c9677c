using System.CommandLine;
using System.Text.Json;
using CoAP.NET.Load.Figures;

namespace CoAP.NET.Load.CommandLine;

/// <summary>Shows a report from a JSON file again, and draws it.</summary>
internal sealed class ReportCommand(CliContext context, BenchCommandLineErrors usage)
{
    public const string Name = "report";
    private readonly Argument<string> _file = new("FILE") { Description = "The output of --json; - for the standard input." };
    private readonly Option<string?> _html = new("--html") { Description = "Writes the report with plots to a file.", HelpName = "OUT" };

    public void AddTo(Command root)
    {
        Command command = new(Name, "Shows the table of a report that --json wrote, and makes one with plots of it.") { _file, _html };
        command.Runs(context, RunAsync);
        BenchCommandLineErrors.ComesFirst(command);
        root.Add(command);
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string file = parsed.GetRequiredValue(_file);
        ReportFiles files = new(null, parsed.GetValue(_html));
        if ((file != ReportFiles.Standard && !File.Exists(file) ? $"There is no file '{file}'." : files.Fault) is { } fault)
        {
            return usage.Refuse(fault);
        }

        try
        {
            string json = await (file == ReportFiles.Standard
                ? Console.In.ReadToEndAsync(cancellationToken)
                : File.ReadAllTextAsync(file, cancellationToken)).ConfigureAwait(false);
            return await files.TryWriteAsync(LoadReport.Parse(json), parsed.InvocationConfiguration).ConfigureAwait(false)
                ? ExitCodes.Success
                : ExitCodes.Failure;
        }
        catch (Exception exception) when (exception is JsonException or IOException or UnauthorizedAccessException)
        {
            FailureReporter.Write(context, $"'{file}' is not a report: {exception.Message}");
            return ExitCodes.Failure;
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return ExitCodes.Failure;
        }
    }
}
