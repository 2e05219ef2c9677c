using System.Diagnostics;

namespace CoAP.NET.Bench;

/// <summary>The figures of a process from the system.</summary>
/// <param name="Cpu">The processor time it took so far, in steps of 10 ms.</param>
/// <param name="Threads">How many threads it has.</param>
/// <param name="ResidentBytes">Its memory that is in use (RSS).</param>
internal readonly record struct ProcessFigures(TimeSpan Cpu, int Threads, long ResidentBytes)
{
    public static ProcessFigures Of(int id)
    {
        using Process process = Process.GetProcessById(id);
        return new ProcessFigures(process.TotalProcessorTime, process.Threads.Count, process.WorkingSet64);
    }
}
