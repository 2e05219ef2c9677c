using System.CommandLine;
using CoAP.NET.Cli.Files;
using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Reporting;

namespace CoAP.NET.Load.CommandLine;

/// <summary>The destinations of a report in addition to the table, which the command always writes.</summary>
/// <param name="Json">A file, "-" for the standard output, or null.</param>
/// <param name="Html">A file, or null.</param>
internal sealed record ReportFiles(string? Json, string? Html)
{
    /// <summary>The name of the standard output.</summary>
    public const string Standard = "-";

    /// <summary>The problem with them that is visible before writing; null for none.</summary>
    public string? Fault =>
        Html == Standard ? "--html writes a file; only --json knows - for the standard output."
        : Json is not null && Html is not null && Json != Standard && Path.GetFullPath(Json) == Path.GetFullPath(Html)
        ? $"--json and --html both write '{Html}'."
        : FaultOf(Json) ?? FaultOf(Html);

    /// <summary>Writes the report, and reports files that failed.</summary>
    public async Task<bool> TryWriteAsync(LoadReport report, InvocationConfiguration streams)
    {
        // JSON on the standard output must be its only content.
        ReportTable.Write(Json == Standard ? streams.Error : streams.Output, report);
        if (Json == Standard)
        {
            await streams.Output.WriteLineAsync(report.ToJson()).ConfigureAwait(false);
        }

        bool isJson = Json is null or Standard || await TryWriteAsync(Json, report.ToJson(), streams.Error).ConfigureAwait(false);
        bool isHtml = Html is null || await TryWriteAsync(Html, HtmlReport.Write(report), streams.Error).ConfigureAwait(false);
        return isJson && isHtml;
    }

    private static async Task<bool> TryWriteAsync(string file, string text, TextWriter error)
    {
        try
        {
            await OutputWriter.WriteTextAsync(file, text).ConfigureAwait(false);
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            await error.WriteLineAsync(exception.Message).ConfigureAwait(false);
            return false;
        }
    }

    private static string? FaultOf(string? file)
    {
        try
        {
            _ = file is null or Standard ? null : OutputPath.Of(file);
            return null;
        }
        catch (IOException exception)
        {
            return exception.Message;
        }
    }
}
