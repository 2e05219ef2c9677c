using CoAP.NET.Cluster.Records;
using CoAP.NET.Settings;

namespace CoAP.NET.Cluster.Writing;

/// <summary>Limits and times of a <see cref="CoapRecordWriteQueue"/>, which explains promises, state and hints.</summary>
[HasSettings]
internal sealed partial class CoapRecordWriterOptions
{
    /// <summary>The maximum number of pending changes.</summary>
    [NumberRange(100, 10_000_000)]
    public partial int MaxRecords { get; set; } = 100_000;

    /// <summary>The maximum number of bytes of pending changes, including keys.</summary>
    [NumberRange(64L << 10, 4L << 30, IsBytes = true)]
    public partial long MaxBytes { get; set; } = 64L << 20;

    /// <summary>The maximum number of changes in a batch.</summary>
    [NumberRange(1, RecordBatchValidator.MaxCount)]
    public partial int BatchSize { get; set; } = 1_000;

    /// <summary>The time between two batches. A promise (<see cref="CoapRecordPriority"/>) is written at once.</summary>
    /// <remarks>The default makes at most 50 transactions per second for hints and state.</remarks>
    [TimeRange(0, Seconds.Minute)]
    public partial TimeSpan Interval { get; set; } = TimeSpan.FromMilliseconds(20);

    /// <summary>
    /// The delay of the first retry after a failure. Each further delay is twice as long.
    /// </summary>
    [TimeRange(Seconds.Millisecond, Seconds.Minute)]
    public partial TimeSpan FirstRetry { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>The longest delay of a retry, <see cref="FirstRetry"/> to 10 minutes.</summary>
    [TimeRange(Seconds.Millisecond, 10 * Seconds.Minute)]
    public partial TimeSpan LongestRetry { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>The maximum time that disposal waits for pending changes.</summary>
    [TimeRange(0, 10 * Seconds.Minute)]
    public partial TimeSpan StopTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Returns what is wrong; null for nothing.</summary>
    internal string? FindFault() => LongestRetry >= FirstRetry
        ? null
        : $"CoapClusterOptions.Writer.LongestRetry is {LongestRetry}; it must not be below FirstRetry, {FirstRetry}.";

    /// <summary>Returns these options, read-only.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The longest delay is below the first one.</exception>
    internal CoapRecordWriterOptions Checked() => FindFault() is { } fault
        ? throw new ArgumentOutOfRangeException(nameof(LongestRetry), LongestRetry, fault)
        : this.MakeReadOnlyFor("a cluster");
}
