using CoAP.NET.Cluster.Records;
using CoAP.NET.Settings;

namespace CoAP.NET.Cluster.Writing;

internal sealed class CoapRecordWriterOptions
{
    /// <summary>The maximum number of pending changes, 100 to 10,000,000. Default 100,000.</summary>
    public int MaxRecords { get; set; } = 100_000;

    /// <summary>The maximum number of bytes of pending changes, including keys, 64 KiB to 4 GiB. Default 64 MiB.</summary>
    public long MaxBytes { get; set; } = 64L << 20;

    /// <summary>The maximum number of changes in a batch, 1 to 10,000. Default 1,000.</summary>
    public int BatchSize { get; set; } = 1_000;

    /// <summary>The time between two batches, unless a promise is pending, 0 to 1 minute. Default 20 ms.</summary>
    /// <remarks>The default makes at most 50 transactions per second for hints and state.</remarks>
    public TimeSpan Interval { get; set; } = TimeSpan.FromMilliseconds(20);

    /// <summary>
    /// The delay of the first retry after a failure, 1 ms to 1 minute. Default 100 ms. Each further delay is twice as long.
    /// </summary>
    public TimeSpan FirstRetry { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>The longest delay of a retry, <see cref="FirstRetry"/> to 10 minutes. Default 10 s.</summary>
    public TimeSpan LongestRetry { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>The maximum time that disposal waits for pending changes, 0 to 10 minutes. Default 10 s.</summary>
    public TimeSpan StopTimeout { get; set; } = TimeSpan.FromSeconds(10);

    internal CoapRecordWriterOptions Checked()
    {
        ValueGuard.InRange(MaxRecords, 100, 10_000_000);
        ValueGuard.InRange(MaxBytes, 64L << 10, 4L << 30);
        ValueGuard.InRange(BatchSize, 1, RecordBatchValidator.MaxCount);
        ValueGuard.InRange(Interval, TimeSpan.Zero, TimeSpan.FromMinutes(1));
        ValueGuard.InRange(FirstRetry, TimeSpan.FromMilliseconds(1), TimeSpan.FromMinutes(1));
        ValueGuard.InRange(LongestRetry, FirstRetry, TimeSpan.FromMinutes(10));
        ValueGuard.InRange(StopTimeout, TimeSpan.Zero, TimeSpan.FromMinutes(10));
        return (CoapRecordWriterOptions)MemberwiseClone();
    }
}
