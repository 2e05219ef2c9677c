using System.Diagnostics;

namespace CoAP.NET.Bench;

/// <summary>A program that this one has started and asks by lines. It ends with this object.</summary>
/// <param name="process">The process; its input and output are in the hands of this one.</param>
internal class AskedProcess(Process process) : IDisposable
{
    public int Id => process.Id;

    public ProcessFigures Figures => ProcessFigures.Of(Id);

    protected Process Process => process;

    /// <summary>Waits until it says that it listens.</summary>
    /// <param name="word">How the line begins.</param>
    /// <returns>What follows.</returns>
    /// <exception cref="InvalidOperationException">It ended before; what it said is on the error stream.</exception>
    public string WaitFor(string word)
    {
        while (process.StandardOutput.ReadLine() is { } line)
        {
            if (line.StartsWith(word, StringComparison.Ordinal))
            {
                return line[word.Length..];
            }
        }

        Dispose();
        throw new InvalidOperationException($"'{string.Join(' ', process.StartInfo.ArgumentList)}' did not start.");
    }

    /// <summary>Gives it a line that it does not answer.</summary>
    public Task ReportAsync(string line) => process.StandardInput.WriteLineAsync(line);

    /// <summary>Gives it a line, and takes the one that it says.</summary>
    /// <exception cref="InvalidOperationException">It has ended.</exception>
    public async Task<string> AskAsync(string line)
    {
        await ReportAsync(line);
        await process.StandardInput.FlushAsync();
        return await process.StandardOutput.ReadLineAsync() ?? throw new InvalidOperationException($"Process {Id} ended.");
    }

    public virtual void Dispose()
    {
        if (!process.HasExited)
        {
            process.Kill();
        }

        process.WaitForExit();
        process.Dispose();
    }
}
