using CoAP.NET.Settings;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>The options of a store in a SQLite file, which keeps the state of one server on one machine.</summary>
/// <remarks>
/// The file is in WAL mode with <c>synchronous=full</c>: each batch is on the disk when its write completes, also if the power fails
/// afterwards. The store combines calls that arrive while the disk is busy; a busy server therefore needs few flushes.
/// </remarks>
[HasSettings]
public sealed partial class CoapSqliteClusterOptions
{
    /// <summary>The file, on a local disk. Required.</summary>
    /// <remarks>
    /// The store creates its folder if necessary; both are accessible to their owner only. One process uses the file at a time; the files
    /// next to it whose names end in <c>-wal</c> and <c>-mark</c> belong to it. The mark records the file: the store does not open
    /// another one or an older copy, such as a backup, and creates no new file while there is a mark, because message numbers would be used
    /// twice. Do not remove or replace the file while the process runs: the store then confirms nothing more.
    /// </remarks>
    public partial string Path { get; set; } = "";

    /// <summary>The maximum size of the file in bytes.</summary>
    /// <remarks>Beyond it writes fail. A DTLS session takes some 400 bytes.</remarks>
    [NumberRange(1L << 20, 1L << 40, IsBytes = true)]
    public partial long MaxBytes { get; set; } = 1L << 30;

    /// <summary>The maximum number of calls that wait for the disk</summary>
    /// <remarks>Further ones fail, and may be repeated.</remarks>
    [NumberRange(16, 1_000_000)]
    public partial int MaxWaitingCalls { get; set; } = 4_096;

    /// <summary>The clock of lifetimes, which are stored as dates. Null, the default, uses the system clock.</summary>
    public partial TimeProvider? TimeProvider { get; set; }

    /// <summary>Runs the work that waits for the disk. Null, the default, uses the threads of the library.</summary>
    public partial CoapThreadScheduler? Scheduler { get; set; }

    /// <summary>Creates a node with this store, for an application without a host. With a host, call <c>UseSqlite</c>.</summary>
    /// <param name="options">The options of the node, read-only from now on.</param>
    /// <param name="timeProvider">The clock; null for the system clock.</param>
    /// <param name="logger">The log of store failures and takeovers; null for none.</param>
    /// <returns>The node. It opens the file in <see cref="CoapCluster.StartAsync"/>. Dispose of it after its servers.</returns>
    /// <exception cref="ArgumentException">An option is missing or out of its range.</exception>
    /// <exception cref="PlatformNotSupportedException">On Linux: there is no OpenSSL.</exception>
    public CoapCluster CreateCluster(CoapClusterOptions options, TimeProvider? timeProvider = null, ILogger? logger = null)
    {
        CoapSqliteClusterOptions store = Checked();
        store.TimeProvider = TimeProvider ?? timeProvider;
        return new CoapCluster(new CoapSqliteClusterStore(store), options, timeProvider, logger: logger);
    }

    internal CoapSqliteClusterOptions Checked()
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(Path, nameof(Path));
        return new CoapSqliteClusterOptions
        {
            Path = System.IO.Path.GetFullPath(Path),
            MaxBytes = MaxBytes,
            MaxWaitingCalls = MaxWaitingCalls,
            TimeProvider = TimeProvider ?? TimeProvider.System,
            Scheduler = Scheduler ?? CoapThreadScheduler.Default,
        };
    }
}
