using System.Diagnostics;

namespace CoAP.NET.Simulation.Holders;

/// <summary>A <see cref="HolderServer"/> as a process of its own, so that its memory is its own.</summary>
internal sealed class HolderChild : IDisposable
{
    private readonly Process _process;

    private HolderChild(Process process, HolderTarget target)
    {
        _process = process;
        Target = target;
    }

    public HolderTarget Target { get; }

    /// <summary>Starts one and waits until it listens.</summary>
    /// <exception cref="InvalidOperationException">It ended before; what it said is on the error stream.</exception>
    public static HolderChild Start(HolderRow row)
    {
        ProcessStartInfo start = SimulationProcess.StartInfo([HolderServer.Verb, row.Name]);
        start.RedirectStandardInput = true;
        Process process = Process.Start(start)!;
        while (process.StandardOutput.ReadLine() is { } line)
        {
            if (line.StartsWith(HolderServer.Listening, StringComparison.Ordinal))
            {
                return new HolderChild(process, HolderTarget.Parse(line[HolderServer.Listening.Length..]));
            }
        }

        process.WaitForExit();
        process.Dispose();
        throw new InvalidOperationException("The server did not start.");
    }

    public async Task<HolderFigures> MeasureAsync()
    {
        await _process.StandardInput.WriteLineAsync(HolderServer.Measuring);
        await _process.StandardInput.FlushAsync();
        return HolderFigures.Parse(await _process.StandardOutput.ReadLineAsync().WaitAsync(TimeSpan.FromSeconds(60))
            ?? throw new InvalidOperationException("The server ended."));
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        _process.WaitForExit();
        _process.Dispose();
    }
}
