using System.Runtime.CompilerServices;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Settings;

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>Keeps the state of one server in a SQLite file that survives a crash, a restart and a power failure. Thread-safe.</summary>
/// <remarks>
/// One process uses the file at a time: a second one gets <see cref="CoapClusterStoreFault.InUse"/>. The first call opens the file, and the
/// first one after a fault opens it again. A store creates its file at most once. If the file is removed, renamed or replaced after that,
/// all calls fail with <see cref="CoapClusterStoreFault.Lost"/> until the same file is back, because message numbers would begin again.
/// <see cref="SqliteMark"/> records the file for the next process.
/// <para>The file is in WAL mode with <c>synchronous=full</c>: each batch is on the disk when its write completes. With <c>normal</c> a
/// power failure, though not a killed process, would undo the last batches, and with <c>off</c> it could destroy the file. The lost batches
/// may include a reservation of record numbers, and two messages with the same number under the same key reveal each other. The store
/// combines calls that arrive while the disk is busy; a busy server therefore needs few flushes.</para>
/// </remarks>
internal sealed class CoapSqliteClusterStore : ICoapClusterStore
{
    private const int PageOfRecords = 512;

    private readonly SqliteWorkQueue _work;
    private readonly CoapClusterMapFeed _feed = new();

    /// <summary>Creates a store. It does not open the file yet.</summary>
    public CoapSqliteClusterStore(string path)
        : this(new CoapSqliteClusterOptions { Path = path })
    {
    }

    /// <summary>Creates a store. It does not open the file yet.</summary>
    /// <param name="options">The options, read-only from now on.</param>
    /// <exception cref="ArgumentException">An option is missing or out of its range.</exception>
    public CoapSqliteClusterStore(CoapSqliteClusterOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options = options.MakeReadOnlyFor("a store").Checked();
        Path = options.Path;
        _work = new SqliteWorkQueue(new SqliteFile(options, _feed), options.Scheduler!, options.MaxWaitingCalls);
    }

    /// <summary>The full path of the file.</summary>
    public string Path { get; }

    /// <inheritdoc/>
    public string? Limitation => null;

    /// <summary>Adds the node to the map.</summary>
    /// <remarks>
    /// Only one process can have the file open. The node is therefore live as long as this object has it: the lease does not expire, and
    /// the previous owner of the slots is no longer live.
    /// </remarks>
    /// <param name="self">The node. Its id is the same in each call.</param>
    /// <param name="lease">Only its range is checked.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The map with the node.</returns>
    public ValueTask<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken)
    {
        NodeLeaseRules.Check(self, lease);
        return new(_work.RunAsync(file => file.Join(self), cancellationToken));
    }

    /// <inheritdoc/>
    public async IAsyncEnumerable<CoapClusterSlotMap> WatchAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        _work.ThrowIfDisposed();
        if (_feed.Newest is null)
        {
            await _work.RunAsync(static file => file.Show(), cancellationToken).ConfigureAwait(false);
        }

        await foreach (CoapClusterSlotMap map in _feed.WatchAsync(cancellationToken).ConfigureAwait(false))
        {
            yield return map;
        }
    }

    /// <inheritdoc/>
    public ValueTask<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(wanted);
        return new(_work.RunAsync(file => file.TryChange(wanted), cancellationToken));
    }

    /// <inheritdoc/>
    public ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
    {
        RecordBatchValidator.Check(batch.Span);
        return new(_work.WriteAsync(batch, cancellationToken));
    }

    /// <inheritdoc/>
    public IAsyncEnumerable<CoapRecord> ReadAsync(CoapRecordKind kind, CoapSlot slot, CancellationToken cancellationToken) =>
        CoapRecordPages.ReadAsync(
            PageOfRecords,
            (after, token) => _work.RunAsync(file => file.Read(kind, slot, after, PageOfRecords), token),
            cancellationToken);

    /// <inheritdoc/>
    public ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken) =>
        new(_work.RunAsync(file => file.Find(key), cancellationToken));

    /// <inheritdoc/>
    public ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken) =>
        new(_work.RunAsync(static file => file.RemoveExpired(RecordBatchValidator.MaxCount), cancellationToken));

    /// <summary>Completes the pending calls, and closes the file.</summary>
    /// <returns>A task that completes when another process may open the file.</returns>
    public async ValueTask DisposeAsync()
    {
        await _work.DisposeAsync().ConfigureAwait(false);
        _feed.Dispose();
    }
}
