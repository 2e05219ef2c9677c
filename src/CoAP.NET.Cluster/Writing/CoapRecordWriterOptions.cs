namespace CoAP.NET.Cluster;

/// <summary>Bounds and times of a <see cref="CoapRecordWriter"/>.</summary>
public sealed class CoapRecordWriterOptions
{
    /// <summary>How many changes may wait: 100 to 10,000,000, 100,000 by default.</summary>
    public int MaxRecords { get; set; } = 100_000;

    /// <summary>How many bytes they may hold, keys included: 64 KiB to 4 GiB, 64 MiB by default.</summary>
    public long MaxBytes { get; set; } = 64L << 20;

    /// <summary>How many changes are written at once at most: 1 to 10,000, 1,000 by default.</summary>
    public int BatchSize { get; set; } = 1_000;

    /// <summary>
    /// The time between two batches, in which changes gather, unless one is a promise: 0 to 1 minute, 20 ms by default, which is at most 50
    /// transactions a second for hints and state.
    /// </summary>
    public TimeSpan Interval { get; set; } = TimeSpan.FromMilliseconds(20);

    /// <summary>How long the first try after a failure waits; each further one waits twice as long. 1 ms to 1 minute, 100 ms by default.
    /// </summary>
    public TimeSpan FirstRetry { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>How long a try waits at most: from <see cref="FirstRetry"/> to 10 minutes, 10 s by default.</summary>
    public TimeSpan LongestRetry { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How long the end waits for what is still to be written: 0 to 10 minutes, 10 s by default.</summary>
    public TimeSpan StopTimeout { get; set; } = TimeSpan.FromSeconds(10);

    internal CoapRecordWriterOptions Checked()
    {
        Check(MaxRecords, 100, 10_000_000, nameof(MaxRecords));
        Check(MaxBytes, 64L << 10, 4L << 30, nameof(MaxBytes));
        Check(BatchSize, 1, CoapRecordBatch.MaxCount, nameof(BatchSize));
        Check(Interval, TimeSpan.Zero, TimeSpan.FromMinutes(1), nameof(Interval));
        Check(FirstRetry, TimeSpan.FromMilliseconds(1), TimeSpan.FromMinutes(1), nameof(FirstRetry));
        Check(LongestRetry, FirstRetry, TimeSpan.FromMinutes(10), nameof(LongestRetry));
        Check(StopTimeout, TimeSpan.Zero, TimeSpan.FromMinutes(10), nameof(StopTimeout));
        return (CoapRecordWriterOptions)MemberwiseClone();
    }

    private static void Check<T>(T value, T least, T most, string name)
        where T : IComparable<T>
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, least, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, most, name);
    }
}
