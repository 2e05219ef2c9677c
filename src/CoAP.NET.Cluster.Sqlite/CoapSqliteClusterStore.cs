using System.Runtime.CompilerServices;

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>
/// Keeps the state of one server in a SQLite file, so that it survives a crash, a restart and a power cut. One process has the file at a
/// time: a second one is told <see cref="CoapClusterStoreFault.InUse"/>. The file is opened by the first call, and again after a fault.
/// Thread-safe.
/// </summary>
/// <remarks>
/// The file is in WAL mode with <c>synchronous=full</c>: each batch is on the disk when its write ends. With <c>normal</c> the last batches
/// would be lost at a power cut, though not at a kill, and with <c>off</c> the file could be destroyed. What is lost then may be a promise
/// how far record numbers go, and a number that is used twice under one key reveals what both messages say. Calls that come while the disk
/// is busy are written together, so a busy server pays for few flushes.
/// </remarks>
public sealed class CoapSqliteClusterStore : ICoapClusterStore
{
    private const int PageOfRecords = 512;

    private readonly SqliteWork _work;
    private readonly CoapClusterMapFeed _feed = new();

    /// <summary>Makes one. Nothing is opened yet.</summary>
    /// <param name="path">The file; see <see cref="CoapSqliteClusterOptions.Path"/>.</param>
    public CoapSqliteClusterStore(string path)
        : this(new CoapSqliteClusterOptions { Path = path })
    {
    }

    /// <summary>Makes one. Nothing is opened yet.</summary>
    /// <param name="options">Where and how. They are copied.</param>
    /// <exception cref="ArgumentException">An option is missing or out of its range.</exception>
    public CoapSqliteClusterStore(CoapSqliteClusterOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options = options.Checked();
        Path = options.Path;
        _work = new SqliteWork(new SqliteFile(options, _feed), options.Scheduler!, options.MaxWaitingCalls);
    }

    /// <summary>The file, as a full path.</summary>
    public string Path { get; }

    /// <summary>
    /// Joins. Only one process can have the file, so the node is there as long as this object has it: the lease is not counted, and whoever
    /// had the slots before is not there any more.
    /// </summary>
    /// <param name="self">The node, the same in each call.</param>
    /// <param name="lease">Checked only.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The map, with the node in it.</returns>
    public ValueTask<CoapClusterMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken)
    {
        CoapLeases.Check(self, lease);
        return new(_work.RunAsync(file => file.Join(self), cancellationToken));
    }

    /// <inheritdoc/>
    public async IAsyncEnumerable<CoapClusterMap> WatchAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        _work.ThrowIfDisposed();
        if (_feed.Newest is null)
        {
            await _work.RunAsync(static file => file.Show(), cancellationToken).ConfigureAwait(false);
        }

        await foreach (CoapClusterMap map in _feed.WatchAsync(cancellationToken).ConfigureAwait(false))
        {
            yield return map;
        }
    }

    /// <inheritdoc/>
    public ValueTask<bool> TryChangeAsync(CoapClusterMap wanted, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(wanted);
        return new(_work.RunAsync(file => file.TryChange(wanted), cancellationToken));
    }

    /// <inheritdoc/>
    public ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordChange> batch, CancellationToken cancellationToken)
    {
        CoapRecordBatch.Check(batch.Span);
        return new(_work.WriteAsync(batch, cancellationToken));
    }

    /// <inheritdoc/>
    public async IAsyncEnumerable<CoapRecord> ReadAsync(
        CoapRecordKind kind, CoapSlot slot, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        // Pages, so that a long read holds up no write.
        byte[] after = [];
        while (true)
        {
            byte[] from = after;
            List<CoapRecord> page = await _work.RunAsync(file => file.Read(kind, slot, from, PageOfRecords), cancellationToken)
                .ConfigureAwait(false);
            foreach (CoapRecord record in page)
            {
                cancellationToken.ThrowIfCancellationRequested();
                yield return record;
            }

            if (page.Count < PageOfRecords)
            {
                yield break;
            }

            after = page[^1].Key.Bytes.ToArray();
        }
    }

    /// <inheritdoc/>
    public ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken) =>
        new(_work.RunAsync(file => file.Find(key), cancellationToken));

    /// <inheritdoc/>
    public ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken) =>
        new(_work.RunAsync(static file => file.RemoveExpired(CoapRecordBatch.MaxCount), cancellationToken));

    /// <summary>Ends what was asked for before, and closes the file.</summary>
    /// <returns>A task that ends when another process may open the file.</returns>
    public async ValueTask DisposeAsync()
    {
        await _work.DisposeAsync().ConfigureAwait(false);
        _feed.Dispose();
    }
}
