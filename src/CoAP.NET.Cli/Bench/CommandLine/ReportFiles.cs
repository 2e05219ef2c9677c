using System.CommandLine;

namespace CoAP.NET.Cli.Bench;

/// <summary>Where a report goes beside the table that is always written.</summary>
/// <param name="Json">A file, "-" for the standard output, or null.</param>
/// <param name="Html">A file, or null.</param>
internal sealed record ReportFiles(string? Json, string? Html)
{
    /// <summary>For the standard output.</summary>
    public const string Standard = "-";

    /// <summary>What is wrong with them, as far as that can be known before something is written; null: nothing.</summary>
    public string? Fault =>
        Html == Standard ? "--html writes a file; only --json knows - for the standard output."
        : Json is not null && Html is not null && Json != Standard && Path.GetFullPath(Json) == Path.GetFullPath(Html)
        ? $"--json and --html both write '{Html}'."
        : FaultOf(Json) ?? FaultOf(Html);

    /// <summary>Writes it, and says what could not be written.</summary>
    public async Task<bool> TryWriteAsync(LoadReport report, InvocationConfiguration streams)
    {
        // Whoever reads JSON from the standard output wants nothing else there.
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
            await File.WriteAllTextAsync(file, text).ConfigureAwait(false);
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            await error.WriteLineAsync(exception.Message).ConfigureAwait(false);
            return false;
        }
    }

    private static string? FaultOf(string? file) =>
        file is null or Standard ? null
        : file.Length == 0 ? "A file without a name cannot be written."
        : Directory.Exists(file) ? $"'{file}' cannot be written: it is a directory."
        : Path.GetDirectoryName(Path.GetFullPath(file)) is { } directory && !Directory.Exists(directory)
        ? $"'{file}' cannot be written: there is no directory '{directory}'."
        : null;
}
