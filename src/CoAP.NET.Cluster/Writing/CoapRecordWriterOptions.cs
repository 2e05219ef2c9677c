namespace CoAP.NET.Cluster;

/// <summary>Bounds and times of a <see cref="CoapRecordWriter"/>.</summary>
public sealed class CoapRecordWriterOptions
{
    /// <summary>The maximum number of pending changes: 100 to 10,000,000, 100,000 by default.</summary>
    public int MaxRecords { get; set; } = 100_000;

    /// <summary>The maximum number of bytes of pending changes, including keys: 64 KiB to 4 GiB, 64 MiB by default.</summary>
    public long MaxBytes { get; set; } = 64L << 20;

    /// <summary>The maximum number of changes in a batch: 1 to 10,000, 1,000 by default.</summary>
    public int BatchSize { get; set; } = 1_000;

    /// <summary>
    /// The time between two batches, unless a promise is pending: 0 to 1 minute, 20 ms by default, so at most 50 transactions a second for
    /// hints and state.
    /// </summary>
    public TimeSpan Interval { get; set; } = TimeSpan.FromMilliseconds(20);

    /// <summary>The delay of the first retry after a failure; each further delay is twice as long. 1 ms to 1 minute, 100 ms by default.
    /// </summary>
    public TimeSpan FirstRetry { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>The longest delay of a retry: <see cref="FirstRetry"/> to 10 minutes, 10 s by default.</summary>
    public TimeSpan LongestRetry { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How long disposal waits for the pending changes: 0 to 10 minutes, 10 s by default.</summary>
    public TimeSpan StopTimeout { get; set; } = TimeSpan.FromSeconds(10);

    internal CoapRecordWriterOptions Checked()
    {
        OptionRange.Check(MaxRecords, 100, 10_000_000);
        OptionRange.Check(MaxBytes, 64L << 10, 4L << 30);
        OptionRange.Check(BatchSize, 1, CoapRecordBatch.MaxCount);
        OptionRange.Check(Interval, TimeSpan.Zero, TimeSpan.FromMinutes(1));
        OptionRange.Check(FirstRetry, TimeSpan.FromMilliseconds(1), TimeSpan.FromMinutes(1));
        OptionRange.Check(LongestRetry, FirstRetry, TimeSpan.FromMinutes(10));
        OptionRange.Check(StopTimeout, TimeSpan.Zero, TimeSpan.FromMinutes(10));
        return (CoapRecordWriterOptions)MemberwiseClone();
    }
}
