using System.Runtime.CompilerServices;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Settings;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>Keeps the state of a cluster in PostgreSQL (tested with version 15). Thread-safe.</summary>
/// <remarks>
/// The store creates missing tables and upgrades them to the version of the package under a lock; nodes may start at the same time. It uses
/// one connection for its lease, one for writes, one that listens while the map is watched, and up to eight for reads. A process that ends
/// without stopping is live for the other nodes until its lease ends: a connection that ends does not show that the process has ended.
/// Single requests and notifications cause no queries.
/// <para>A pooler in transaction mode, such as PgBouncer with <c>pool_mode = transaction</c>, takes a connection's settings, prepared
/// statements and notifications away. The first call notices it, and fails with <see cref="CoapClusterStoreFault.Incompatible"/>.</para>
/// </remarks>
internal sealed class CoapPostgreSqlClusterStore : ICoapClusterStore
{
    private const int PageOfRecords = 1_000;

    // For pending calls and the release of the lease, at a server that does not answer. The lease ends by itself.
    private static readonly TimeSpan s_longestEnd = TimeSpan.FromSeconds(5);

    private readonly PostgreSqlHistory _history;
    private readonly PostgreSqlConnections _connections;
    private readonly PostgreSqlWriter _writer;
    private readonly PostgreSqlLease _lease;
    private readonly PostgreSqlClusterMapMonitor _watch;
    private readonly PostgreSqlRecords _records;
    private readonly SequentialCalls _writes = new();
    private readonly SequentialCalls _leases = new();
    private readonly CoapClusterMapFeed _feed = new();
    private readonly CancellationTokenSource _stop;
    private readonly Lock _gate = new();
    private Task? _watching;
    private Task? _end;

    /// <summary>Creates a store. It opens no connection yet.</summary>
    public CoapPostgreSqlClusterStore(string connectionString)
        : this(new CoapPostgreSqlClusterOptions { ConnectionString = connectionString })
    {
    }

    /// <summary>Creates a store. It opens no connection yet.</summary>
    /// <param name="options">The options, read-only from now on.</param>
    /// <exception cref="ArgumentException">An option is missing or out of its range.</exception>
    public CoapPostgreSqlClusterStore(CoapPostgreSqlClusterOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options = options.MakeReadOnlyFor("a store").Checked();
        _stop = new CancellationTokenSource(Timeout.InfiniteTimeSpan, options.TimeProvider!);
        _history = new PostgreSqlHistory(options);
        _connections = new PostgreSqlConnections(options, _history);
        PostgreSqlClusterMapStore map = new(options.Schema, _history);
        _writer = new PostgreSqlWriter(_connections, _history, CoapNodeId.New().Value);
        _lease = new PostgreSqlLease(_connections, map, _history);
        _watch = new PostgreSqlClusterMapMonitor(_connections, map, _history, _feed, options);
        _records = new PostgreSqlRecords(options.Schema, _history);
    }

    /// <inheritdoc/>
    public string? Limitation => _history.Limitation;

    /// <inheritdoc/>
    public ValueTask<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken)
    {
        NodeLeaseRules.Check(self, lease);
        return new(_leases.RunAsync(() => _lease.JoinAsync(self, lease, _stop.Token), cancellationToken));
    }

    /// <inheritdoc/>
    public async IAsyncEnumerable<CoapClusterSlotMap> WatchAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_end is not null, this);
            _watching ??= _watch.RunAsync(_stop.Token);
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
        return new(_leases.RunAsync(() => _lease.TryChangeAsync(wanted, _stop.Token), cancellationToken));
    }

    /// <inheritdoc/>
    public ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
    {
        RecordBatchValidator.Check(batch.Span);
        return new(_writes.RunAsync(() => WriteAsync(batch), cancellationToken));
    }

    /// <inheritdoc/>
    public IAsyncEnumerable<CoapRecord> ReadAsync(CoapRecordKind kind, CoapSlot slot, CancellationToken cancellationToken) =>
        CoapRecordPages.ReadAsync(
            PageOfRecords,
            (after, token) => ReadAsync(
                (connection, ending) => _records.ReadAsync(connection, kind, slot, after, PageOfRecords, ending), token),
            cancellationToken);

    /// <inheritdoc/>
    public async ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken)
    {
        IReadOnlyList<CoapRecord> found = await ReadAsync((connection, token) => _records.FindAsync(connection, key, token),
            cancellationToken).ConfigureAwait(false);
        return key.Kind == CoapRecordKind.OscoreContext && Limitation is { } limitation
            ? throw new CoapClusterStoreException(CoapClusterStoreFault.Denied, limitation)
            : found.SingleOrDefault();
    }

    /// <inheritdoc/>
    public async ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken) =>
        await CallAsync((connection, token) => _records.RemoveExpiredAsync(connection, RecordBatchValidator.MaxCount, token),
            cancellationToken)
            .ConfigureAwait(false);

    /// <summary>Completes the pending calls, releases the lease, and closes all connections.</summary>
    /// <returns>A task that completes when that is done, or after 5 s if the database does not answer.</returns>
    public ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            _end ??= EndAsync(_watching);
        }

        return new ValueTask(_end);
    }

    // A server that has taken over may lack writes. Its tables are used when a node has noted that in them, which ends all fences.
    private async Task<IReadOnlyList<CoapRecord>> ReadAsync(
        Func<NpgsqlConnection, CancellationToken, Task<IReadOnlyList<CoapRecord>?>> read, CancellationToken cancellationToken)
    {
        if (await CallAsync(read, cancellationToken).ConfigureAwait(false) is { } records)
        {
            return records;
        }

        _connections.CloseReaders();
        await NoteAsync(cancellationToken).ConfigureAwait(false);
        return await CallAsync(read, cancellationToken).ConfigureAwait(false) ?? throw PostgreSqlFaults.NotNoted();
    }

    private async Task<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch)
    {
        if (await _writer.WriteAsync(batch, _stop.Token).ConfigureAwait(false) is { } result)
        {
            return result;
        }

        await NoteAsync(_stop.Token).ConfigureAwait(false);
        return await _writer.WriteAsync(batch, _stop.Token).ConfigureAwait(false) ?? throw PostgreSqlFaults.NotNoted();
    }

    private async Task NoteAsync(CancellationToken cancellationToken) =>
        _feed.Publish(await _leases.RunAsync(() => _lease.NoteAsync(_stop.Token), cancellationToken).ConfigureAwait(false));

    private async Task<T> CallAsync<T>(Func<NpgsqlConnection, CancellationToken, Task<T>> read, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_end is not null, this);
        }

        cancellationToken.ThrowIfCancellationRequested();
        return await _connections.ReadAsync(read, cancellationToken).ConfigureAwait(false);
    }

    private async Task EndAsync(Task? watching)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        _feed.Dispose();
        _stop.CancelAfter(s_longestEnd);
        await _writes.EndAsync().ConfigureAwait(false);
        await _leases.EndAsync().ConfigureAwait(false);
        await _writer.EndAsync(_stop.Token).ConfigureAwait(false);
        await _lease.EndAsync(_stop.Token).ConfigureAwait(false);
        await _stop.CancelAsync().ConfigureAwait(false);
        if (watching is not null)
        {
            await watching.ConfigureAwait(false);
        }

        await _connections.DisposeAsync().ConfigureAwait(false);
        _stop.Dispose();
    }
}
