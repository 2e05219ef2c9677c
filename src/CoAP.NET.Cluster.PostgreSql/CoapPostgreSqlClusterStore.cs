using System.Runtime.CompilerServices;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>Keeps the state of a cluster in PostgreSQL (tested with version 15). Thread-safe.</summary>
/// <remarks>
/// The store creates missing tables and upgrades them to the version of the package under a lock; nodes may start at the same time. It uses
/// one connection for its lease, one for writes, one that listens while the map is watched, and up to eight for reads. A process that dies
/// is live for the other nodes until its lease ends: a connection that ends is no sign of death. Single requests and notifications cause
/// no queries.
/// <para>A pooler in transaction mode, such as PgBouncer with <c>pool_mode = transaction</c>, takes a connection's settings, prepared
/// statements and notifications away. The first call notices it, and fails with <see cref="CoapClusterStoreFault.Incompatible"/>.</para>
/// </remarks>
internal sealed class CoapPostgreSqlClusterStore : ICoapClusterStore
{
    private const int PageOfRecords = 1_000;

    private readonly PostgreSqlConnections _connections;
    private readonly PostgreSqlWriter _writer;
    private readonly PostgreSqlLease _lease;
    private readonly PostgreSqlClusterMapMonitor _watch;
    private readonly PostgreSqlRecords _records;
    private readonly SequentialCalls _writes = new();
    private readonly SequentialCalls _leases = new();
    private readonly CoapClusterMapFeed _feed = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _gate = new();
    private Task? _watching;
    private Task? _end;

    /// <summary>Creates a store. It opens no connection yet.</summary>
    public CoapPostgreSqlClusterStore(string connectionString)
        : this(new CoapPostgreSqlClusterOptions { ConnectionString = connectionString })
    {
    }

    /// <summary>Creates a store. It opens no connection yet.</summary>
    /// <param name="options">The options, which are copied.</param>
    /// <exception cref="ArgumentException">An option is missing or out of its range.</exception>
    public CoapPostgreSqlClusterStore(CoapPostgreSqlClusterOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options = options.Checked();
        _connections = new PostgreSqlConnections(options);
        PostgreSqlClusterMapStore map = new(options.Schema);
        _writer = new PostgreSqlWriter(_connections, CoapNodeId.New().Value);
        _lease = new PostgreSqlLease(_connections, map, options);
        _watch = new PostgreSqlClusterMapMonitor(_connections, map, _feed, options);
        _records = new PostgreSqlRecords(options.Schema);
    }

    /// <inheritdoc/>
    public ValueTask<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken)
    {
        NodeLeaseLimits.Check(self, lease);
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
        return new(_writes.RunAsync(() => _writer.WriteAsync(batch, CancellationToken.None), cancellationToken));
    }

    /// <inheritdoc/>
    public IAsyncEnumerable<CoapRecord> ReadAsync(CoapRecordKind kind, CoapSlot slot, CancellationToken cancellationToken) =>
        CoapRecordPages.ReadAsync(
            PageOfRecords,
            (after, token) => ReadAsync(
                (connection, ending) => _records.ReadAsync(connection, kind, slot, after, PageOfRecords, ending), token),
            cancellationToken);

    /// <inheritdoc/>
    public async ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken) =>
        await ReadAsync((connection, token) => _records.FindAsync(connection, key, token), cancellationToken).ConfigureAwait(false);

    /// <inheritdoc/>
    public async ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken) =>
        await ReadAsync((connection, token) => _records.RemoveExpiredAsync(connection, RecordBatchValidator.MaxCount, token),
            cancellationToken)
            .ConfigureAwait(false);

    /// <summary>Completes the pending calls, releases the lease, and closes all connections.</summary>
    /// <returns>A task that completes when that is done.</returns>
    public ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            _end ??= EndAsync(_watching);
        }

        return new ValueTask(_end);
    }

    private async Task<T> ReadAsync<T>(Func<NpgsqlConnection, CancellationToken, Task<T>> read, CancellationToken cancellationToken)
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
        await _writes.EndAsync().ConfigureAwait(false);
        await _leases.EndAsync().ConfigureAwait(false);
        await _stop.CancelAsync().ConfigureAwait(false);
        if (watching is not null)
        {
            await watching.ConfigureAwait(false);
        }

        await _writer.DisposeAsync().ConfigureAwait(false);
        await _lease.DisposeAsync().ConfigureAwait(false);
        await _connections.DisposeAsync().ConfigureAwait(false);
        _stop.Dispose();
    }
}
