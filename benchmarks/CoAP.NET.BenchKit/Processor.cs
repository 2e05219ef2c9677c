using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;

namespace CoAP.NET.Bench;

/// <summary>Which processor a thread runs on (Linux). Processes and threads that it starts inherit it.</summary>
internal static partial class Processor
{
    /// <summary>The server's processor.</summary>
    public const int Server = 0;

    /// <summary>The processor of the load.</summary>
    public const int Load = 1;

    private const int SetSize = 128;

    /// <summary>The model in parentheses after a space, for a report after the number of processors; empty if it is unknown.</summary>
    public static string Model
    {
        get
        {
            const string Info = "/proc/cpuinfo";
            const string Name = "model name";
            string? line = File.Exists(Info)
                ? File.ReadLines(Info).FirstOrDefault(line => line.StartsWith(Name, StringComparison.Ordinal))
                : null;
            return line is null ? "" : $" ({line[(line.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim()})";
        }
    }

    /// <summary>Keeps the calling thread on one processor, if the machine has it.</summary>
    /// <returns>Which ones it could run on before; give them to <see cref="Restore"/>.</returns>
    /// <param name="processors">It, or several that it may choose from.</param>
    public static byte[] Pin(params ReadOnlySpan<int> processors)
    {
        byte[] before = new byte[SetSize];
        byte[] wanted = new byte[SetSize];
        foreach (int processor in processors)
        {
            wanted[processor / 8] |= (byte)(1 << (processor % 8));
        }

        if (GetAffinity(0, SetSize, before) < 0 || SetAffinity(0, SetSize, wanted) < 0)
        {
            Console.Error.WriteLine($"note: processor {string.Join(" or ", processors.ToArray())} cannot be had; nothing is pinned");
        }

        return before;
    }

    /// <summary>Starts a process that is kept on one processor.</summary>
    /// <param name="processor">The processor.</param>
    /// <param name="start">How it is started.</param>
    public static Process Start(int processor, ProcessStartInfo start)
    {
        byte[] before = Pin(processor);
        try
        {
            return Process.Start(start)!;
        }
        finally
        {
            Restore(before);
        }
    }

    public static void Restore(byte[] before) => _ = SetAffinity(0, SetSize, before);

    /// <summary>The processors that this thread may run on, in their order.</summary>
    public static int[] Available()
    {
        byte[] set = new byte[SetSize];
        return GetAffinity(0, SetSize, set) < 0
            ? [.. Enumerable.Range(0, Environment.ProcessorCount)]
            : [.. Enumerable.Range(0, SetSize * 8).Where(i => (set[i / 8] & (1 << (i % 8))) != 0)];
    }

    /// <summary>Keeps a thread of any process on one processor.</summary>
    /// <param name="thread">Its number in the system.</param>
    /// <param name="processor">The processor.</param>
    /// <returns>False if the system refuses it, or the thread has ended.</returns>
    public static bool PinThread(int thread, int processor)
    {
        byte[] wanted = new byte[SetSize];
        wanted[processor / 8] |= (byte)(1 << (processor % 8));
        return SetAffinity(thread, SetSize, wanted) >= 0;
    }

    /// <summary>The processor time that the calling thread took so far; zero outside Linux.</summary>
    public static TimeSpan OwnThreadTime() => OperatingSystem.IsLinux() ? ThreadTime("/proc/thread-self") : TimeSpan.Zero;

    /// <summary>The processor time that a thread took so far (Linux).</summary>
    /// <param name="folder">Its folder below <c>/proc</c>.</param>
    public static TimeSpan ThreadTime(string folder)
    {
        const int NanosecondsOfTick = 100;
        return TimeSpan.FromTicks(
            long.Parse(File.ReadAllText(Path.Combine(folder, "schedstat")).Split(' ')[0], CultureInfo.InvariantCulture)
                / NanosecondsOfTick);
    }

    [LibraryImport("libc", EntryPoint = "sched_getaffinity", SetLastError = true)]
    private static partial int GetAffinity(int thread, nint size, [Out] byte[] set);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity", SetLastError = true)]
    private static partial int SetAffinity(int thread, nint size, [In] byte[] set);
}

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
