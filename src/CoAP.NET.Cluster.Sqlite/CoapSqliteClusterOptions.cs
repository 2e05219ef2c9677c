namespace CoAP.NET.Cluster.Sqlite;

/// <summary>Where and how a <see cref="CoapSqliteClusterStore"/> keeps what it is given.</summary>
public sealed class CoapSqliteClusterOptions
{
    /// <summary>
    /// The file. Its folder is made where there is none, for its owner only, as the file is. It belongs on a local disk, to one process;
    /// the file beside it with <c>-wal</c> behind the name belongs to it. Do not copy it back from a backup: numbers of messages would be
    /// used twice.
    /// </summary>
    public string Path { get; set; } = "";

    /// <summary>
    /// How large the file may get, in bytes: 1 MiB to 1 TiB, 1 GiB by default. Beyond it writes fail with
    /// <see cref="CoapClusterStoreFault.Full"/>. A DTLS session takes some 400 bytes.
    /// </summary>
    public long MaxBytes { get; set; } = 1L << 30;

    /// <summary>How many calls may wait for the disk, 16 to 1,000,000, 4,096 by default. Further ones fail with
    /// <see cref="CoapClusterStoreFault.Busy"/>.</summary>
    public int MaxWaitingCalls { get; set; } = 4_096;

    /// <summary>The clock of lifetimes, of which the date counts; null for the system's.</summary>
    public TimeProvider? TimeProvider { get; set; }

    /// <summary>Does what waits for the disk; null for the threads of the library.</summary>
    public CoapScheduler? Scheduler { get; set; }

    internal CoapSqliteClusterOptions Checked()
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(Path, nameof(Path));
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxBytes, 1L << 20, nameof(MaxBytes));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxBytes, 1L << 40, nameof(MaxBytes));
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxWaitingCalls, 16, nameof(MaxWaitingCalls));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxWaitingCalls, 1_000_000, nameof(MaxWaitingCalls));
        return new CoapSqliteClusterOptions
        {
            Path = System.IO.Path.GetFullPath(Path),
            MaxBytes = MaxBytes,
            MaxWaitingCalls = MaxWaitingCalls,
            TimeProvider = TimeProvider ?? TimeProvider.System,
            Scheduler = Scheduler ?? CoapScheduler.Default,
        };
    }
}
