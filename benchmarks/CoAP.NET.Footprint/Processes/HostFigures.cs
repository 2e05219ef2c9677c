namespace CoAP.NET.Footprint.Processes;

/// <summary>What a child process says of itself.</summary>
/// <param name="Allocated">Bytes allocated since it began.</param>
/// <param name="Collections">Garbage collections of each generation and above.</param>
/// <param name="TotalPause">How long they held all threads in all.</param>
/// <param name="LongestPause">The longest of them.</param>
/// <param name="Committed">Memory that the garbage collector has of the system; after its last collection.</param>
/// <param name="Live">What of it were objects then.</param>
internal sealed record HostFigures(long Allocated, IReadOnlyList<int> Collections, TimeSpan TotalPause, TimeSpan LongestPause,
    long Committed, long Live)
{
    public static HostFigures Now(PauseWatch watch)
    {
        GCMemoryInfo last = GC.GetGCMemoryInfo(GCKind.Any);

        // Before the pauses in all: a collection between the two must not make one pause longer than all of them.
        TimeSpan longest = watch.Longest;
        return new(
            GC.GetTotalAllocatedBytes(),
            [GC.CollectionCount(0), GC.CollectionCount(1), GC.CollectionCount(2)],
            GC.GetTotalPauseDuration(),
            longest,
            last.TotalCommittedBytes,
            last.HeapSizeBytes - last.FragmentedBytes);
    }

    public static HostFigures Parse(string line)
    {
        long[] numbers = [.. line.Split(' ').Select(text => long.Parse(text))];
        return new HostFigures(numbers[0], [(int)numbers[1], (int)numbers[2], (int)numbers[3]], new TimeSpan(numbers[4]),
            new TimeSpan(numbers[5]), numbers[6], numbers[7]);
    }

    public override string ToString() =>
        $"{Allocated} {Collections[0]} {Collections[1]} {Collections[2]} {TotalPause.Ticks} {LongestPause.Ticks} {Committed} {Live}";
}
