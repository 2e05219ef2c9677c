using System.Diagnostics;
using CoAP.NET.Composition.Stages;

namespace CoAP.NET.Simulation.Soak;

/// <summary>The process at one moment, after a full collection.</summary>
/// <param name="At">When, from the beginning.</param>
/// <param name="Heap">Bytes that are reachable.</param>
/// <param name="Resident">Bytes of memory in use.</param>
/// <param name="Handles">Open descriptors.</param>
/// <param name="Threads">Threads.</param>
/// <param name="Begun">Operations begun.</param>
/// <param name="Open">Operations under way.</param>
/// <param name="Endpoints">Endpoints that are there, with those that were closed and are still held.</param>
/// <param name="Peers">Peers that the server knows over datagrams.</param>
/// <param name="Connections">Its connections.</param>
/// <param name="Observers">Its observers.</param>
/// <param name="BodyBytes">Bytes of bodies under way.</param>
/// <param name="RepliesKept">Answers kept for duplicates, in bytes.</param>
internal sealed record SoakSample(TimeSpan At, long Heap, long Resident, int Handles, int Threads, long Begun, int Open, int Endpoints,
    int Peers, int Connections, int Observers, long BodyBytes, long RepliesKept)
{
    /// <summary>Takes one.</summary>
    public static SoakSample Take(TimeSpan at, SoakLedger ledger, SoakServer server, Func<int> endpoints)
    {
        // Twice, so that what a finalizer let go is gone too.
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        CoapDiagnosticSnapshot snapshot = server.Endpoint.GetSnapshot(maxPeers: 1);
        long kept = 0;
        foreach (CoapShardPipeline pipeline in server.Endpoint.Pipelines)
        {
            lock (pipeline.Shard.Gate)
            {
                kept += pipeline.Messages.Memory.Bytes + pipeline.Messages.Memory.NewcomerBytes;
            }
        }

        (int handles, int threads, long resident) = OfProcess();
        return new SoakSample(
            at, GC.GetTotalMemory(false), resident, handles, threads, ledger.Begun, ledger.Open, endpoints(),
            snapshot.Shards.Sum(shard => shard.Peers), snapshot.Connections, snapshot.Observers, server.Face.BodyBytes, kept);
    }

    /// <summary>What the open descriptors are, with how many of each kind.</summary>
    public static string KindsOfHandles() => string.Join(", ", Targets()
        .Select(target => target.Split('[')[0])
        .GroupBy(kind => kind)
        .OrderByDescending(kind => kind.Count())
        .Select(kind => $"{kind.Count()} {kind.Key}"));

    /// <summary>Descriptors, threads and memory of this process.</summary>
    public static (int Handles, int Threads, long Resident) OfProcess()
    {
        using Process process = Process.GetCurrentProcess();
        if (!OperatingSystem.IsLinux())
        {
            return (process.HandleCount, process.Threads.Count, process.WorkingSet64);
        }

        // The platform opens a file of each thread, and throws within when one has just ended: that would count as an exception of ours.
        return (Targets().Count(), Directory.EnumerateDirectories("/proc/self/task").Count(), process.WorkingSet64);
    }

    // Assemblies are loaded when they are needed first, and stay.
    private static IEnumerable<string> Targets() =>
        !OperatingSystem.IsLinux() ? [] : new DirectoryInfo("/proc/self/fd").EnumerateFileSystemInfos()
            .Select(entry => entry.LinkTarget ?? "gone")
            .Where(target => !target.EndsWith(".dll", StringComparison.Ordinal)
                && !target.EndsWith(".pdb", StringComparison.Ordinal));
}
