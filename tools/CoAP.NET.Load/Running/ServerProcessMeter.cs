using System.Globalization;

namespace CoAP.NET.Load.Running;

/// <summary>The server's processor time and memory, by its process id. Null if the system does not provide them, or no longer.</summary>
/// <param name="process">The process id; null: read nothing.</param>
internal sealed class ServerProcessMeter(int? process)
{
    public TimeSpan? ProcessorTime => Figures?.Cpu;

    public long? ResidentBytes => Figures?.ResidentBytes;

    private ProcessFigures? Figures
    {
        get
        {
            if (process is not { } id || !OperatingSystem.IsLinux())
            {
                return null;
            }

            try
            {
                return ProcessFigures.Of(id);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or InvalidOperationException)
            {
                // It has ended, or, between its end and its removal, has no memory any more.
                return null;
            }
        }
    }
}

/// <summary>The figures of a process from the system (<c>/proc</c>).</summary>
/// <param name="Cpu">The processor time it took so far, in steps of 10 ms.</param>
/// <param name="Threads">How many threads it has.</param>
/// <param name="ResidentBytes">Its memory that is in use (RSS).</param>
internal readonly record struct ProcessFigures(TimeSpan Cpu, int Threads, long ResidentBytes)
{
    // USER_HZ is 100 on every machine that .NET runs on.
    private const double TicksPerSecond = 100;

    public static ProcessFigures Of(int process)
    {
        string stat = File.ReadAllText($"/proc/{process}/stat");

        // The name, in parentheses, may have spaces.
        string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
        TimeSpan cpu = TimeSpan.FromSeconds((Number(fields[11]) + Number(fields[12])) / TicksPerSecond);
        string[] status = File.ReadAllLines($"/proc/{process}/status");
        return new ProcessFigures(cpu, (int)Line(status, "Threads:"), Line(status, "VmRSS:") * 1024);
    }

    private static long Line(string[] lines, string name) =>
        Number(lines.First(line => line.StartsWith(name, StringComparison.Ordinal))[name.Length..]
            .Replace("kB", "", StringComparison.Ordinal).Trim());

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);
}
