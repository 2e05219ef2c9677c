namespace CoAP.NET.Benchmarks;

/// <summary>The goals of the matrix, and what a run makes of them. A cell is one method with one message.</summary>
internal static class MatrixGoals
{
    private const double ManyTimes = 10;
    private const double ManyCells = 0.8;
    private const double LessMemory = 4;

    // Two runs of the same code differ by up to a fifth; those with large objects by more.
    private const double AsyncRatio = 1.3;

    // What the runtime calls a large object.
    private const long LargeObject = 85_000;

    // Of the matrix: two bytes and 255 characters.
    private const long OptionSize = 257;

    /// <summary>The goals in words, in the order in which a run is judged.</summary>
    public static IReadOnlyList<string> Texts { get; } =
    [
        $"No cell takes longer than published, except those without options that allocate a large object ({LargeObject:N0} bytes or more).",
        $"At least {ManyCells * 100:N0} % of the cells take 1/{ManyTimes:N0} of the published time or less.",
        $"Each cell allocates 1/{LessMemory:N0} of the published memory or less; bytes of the message that the result keeps count on "
            + "neither side.",
        $"An asynchronous method takes at most {AsyncRatio} times as long as the synchronous one with the same stream.",
    ];

    /// <summary>Judges the cells of one format.</summary>
    /// <param name="format">Its name.</param>
    /// <param name="rows">The figures.</param>
    /// <returns>How many cells there are and how many are many times faster, every missed goal, and every slower cell that is
    /// excepted.</returns>
    public static (int Cells, int Fast, IReadOnlyList<string> Misses, IReadOnlyList<string> Excepted) Judge(
        string format, IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> rows)
    {
        List<string> misses = [];
        List<string> excepted = [];
        int cells = 0;
        int fast = 0;
        foreach ((MatrixCase one, MatrixFigures measured) in rows)
        {
            Published published = Published.Of[one];
            foreach (Way way in Way.All)
            {
                string cell = $"{format}, {one}: `{way.Name}`";
                double time = measured.Microseconds[way.Name];
                long bytes = measured.Bytes[way.Name];
                cells++;
                fast += time <= way.Time(published) / ManyTimes ? 1 : 0;
                if (time > way.Time(published))
                {
                    (one.Options == 0 && bytes >= LargeObject ? excepted : misses).Add(
                        $"{cell} takes {MatrixReport.Text(time)} µs; published: {MatrixReport.PublishedText(way.Time(published))}.");
                }

                long kept = way.KeepsBytes ? one.Payload + (OptionSize * one.Options) : 0;
                double most = (way.Memory(published) - kept) / LessMemory;
                if (bytes - kept > most)
                {
                    misses.Add($"{cell} allocates {bytes - kept:N0} B besides the bytes of the message; the goal is {most:N0}.");
                }

                if (way.Synchronous is { } name && time > AsyncRatio * measured.Microseconds[name])
                {
                    misses.Add($"{cell} takes {MatrixReport.Text(time)} µs, `{name}` {MatrixReport.Text(measured.Microseconds[name])}.");
                }
            }
        }

        if (fast < ManyCells * cells)
        {
            misses.Add(
                $"{format}: {fast} of {cells} cells take 1/{ManyTimes:N0} of the published time or less; the goal is "
                    + $"{Math.Ceiling(ManyCells * cells):N0}.");
        }

        return (cells, fast, misses, excepted);
    }
}
