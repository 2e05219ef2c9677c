using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>
/// Writes records over its own connection, one batch after the other. Each connection has a generation, and a batch is valid only while its
/// generation is the newest of this store. A batch in flight on a lost connection can therefore not take effect after another connection
/// has begun. Used by one call at a time.
/// </summary>
internal sealed class PostgreSqlWriter(PostgreSqlConnections connections, PostgreSqlHistory history, Guid id)
{
    private const int Oscore = (int)CoapRecordKind.OscoreContext;

    private readonly string _begin = $"""
        insert into {connections.Schema}.writers values ($1, nextval('{connections.Schema}.generations'), clock_timestamp())
        on conflict (writer) do update set generation = excluded.generation, opened = excluded.opened returning generation
        """;

    // Writes nothing at a server whose history is not noted: the fences of its tables may be those of before a loss.
    // Locks the generation first, and then each slot once, in order. Moves of slots and writes wait for each other, and the write then sees
    // the newest fence. The joins drop stale changes. Most records exist: an update of them writes half as much log as an insert with "on
    // conflict", which first locks the row.
    private string Write => $"""
        with server as materialized (select {history.SqlIsNoted} as noted from {connections.Schema}.map),
        me as materialized (
            select 1 from {connections.Schema}.writers
            where writer = $1 and generation = $2 and exists (select from server where noted) for share),
        held as materialized (
            select slot, fence from {connections.Schema}.slots where slot = any($3) and exists (select from me) order by slot for share),
        puts as materialized (
            select b.kind, b.slot, b.key, b.fence, b.state,
                case when seconds is null then 'infinity' else clock_timestamp() + make_interval(secs => seconds) end as expires
            from unnest($4::smallint[], $5::smallint[], $6::bytea[], $7::bigint[], $8::bytea[], $9::float8[])
                as b (kind, slot, key, fence, state, seconds)
            join held h on h.slot = b.slot and h.fence = b.fence and b.fence > 0),
        removals as materialized (
            select b.* from unnest($10::smallint[], $11::smallint[], $12::bytea[], $13::bigint[]) as b (kind, slot, key, fence)
            join held h on h.slot = b.slot and h.fence = b.fence and b.fence > 0),
        put as (
            update {connections.Schema}.records r set fence = b.fence, state = b.state, expires = b.expires
            from puts b where r.kind = b.kind and r.slot = b.slot and r.key = b.key
            returning r.kind, r.slot, r.key),
        put_new as (
            insert into {connections.Schema}.records as r (kind, slot, key, fence, state, expires)
            select kind, slot, key, fence, state, expires from puts b where kind <> {Oscore} and not exists (
                select from put p where p.kind = b.kind and p.slot = b.slot and p.key = b.key)
            on conflict (kind, slot, key) do update set fence = excluded.fence, state = excluded.state, expires = excluded.expires),
        put_oscore as (
            insert into {connections.Schema}.oscore as o (slot, key, fence, epoch, bound, received)
            select slot, key, fence, {NumberAt("1")}, {NumberAt("9")}, substring(state from 17) from puts where kind = {Oscore}
            on conflict (slot, key) do update
                set fence = excluded.fence, epoch = excluded.epoch, bound = excluded.bound, received = excluded.received),
        gone as (
            delete from {connections.Schema}.records r using removals b where r.kind = b.kind and r.slot = b.slot and r.key = b.key),
        gone_oscore as (
            delete from {connections.Schema}.oscore o using removals b where b.kind = {Oscore} and o.slot = b.slot and o.key = b.key)
        select null::smallint, null::bigint from me union all select slot, fence from held
        union all select -1::smallint, null from server where not noted
        """;

    private NpgsqlConnection? _connection;
    private string _write = "";
    private long _generation;

    /// <summary>Whether the nodes have noted the history of the server of the last batch. If they have not, it was not written.</summary>
    public bool IsNoted { get; private set; }

    /// <summary>Writes a batch, and retries once over a new connection if this one was lost.</summary>
    /// <returns>The outcomes; null if <see cref="IsNoted"/> is false.</returns>
    public async Task<CoapWriteResult?> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
    {
        if (batch.Length == 0)
        {
            return new CoapWriteResult([]);
        }

        for (bool isLast = false; ; isLast = true)
        {
            try
            {
                if (await TryWriteAsync(batch, cancellationToken).ConfigureAwait(false) is { } result)
                {
                    return result;
                }

                if (!IsNoted)
                {
                    await CloseAsync().ConfigureAwait(false);
                    return null;
                }

                // A cleanup removed the row of this store: it continues with a new generation.
                await CloseAsync().ConfigureAwait(false);
                if (isLast)
                {
                    throw new CoapClusterStoreException(CoapClusterStoreFault.Unavailable,
                        "The database treated the writes of this store as those of a lost connection. The next call writes them.");
                }
            }
            catch (OperationCanceledException)
            {
                await CloseAsync().ConfigureAwait(false);
                throw;
            }
            catch (Exception exception) when (PostgreSqlFaults.IsFault(exception))
            {
                // Ends everything in flight with the generation.
                await CloseAsync().ConfigureAwait(false);
                if (isLast || !PostgreSqlFaults.IsLostConnection(exception))
                {
                    throw PostgreSqlFaults.Of(exception);
                }
            }
        }
    }

    /// <summary>Removes the row of this store, and closes the connection.</summary>
    public async Task EndAsync(CancellationToken cancellationToken)
    {
        if (_connection is not null)
        {
            try
            {
                NpgsqlCommand command = PostgreSqlCommandFactory.Make(_connection,
                    $"delete from {connections.Schema}.writers where writer = $1", PostgreSqlCommandFactory.Value(id));
                await using (command.ConfigureAwait(false))
                {
                    await command.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
                }
            }
            catch (Exception exception) when (PostgreSqlFaults.IsFault(exception) || exception is OperationCanceledException)
            {
                // The row is later removed like that of a dead process.
            }
        }

        await CloseAsync().ConfigureAwait(false);
    }

    /// <summary>
    /// Writes a batch, or returns null if <see cref="IsNoted"/> is false, or another connection has begun a newer generation.
    /// </summary>
    public async Task<CoapWriteResult?> TryWriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
    {
        NpgsqlConnection connection = await OpenAsync(cancellationToken).ConfigureAwait(false);
        NpgsqlCommand command = PostgreSqlRecordBatchConverter.ToCommand(connection, _write, id, _generation, batch.Span);
        await using (command.ConfigureAwait(false))
        {
            CoapFencingToken[] newest = new CoapFencingToken[CoapSlot.Count];
            bool isNewest = false;
            IsNoted = true;
            NpgsqlDataReader reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                while (await reader.ReadAsync(cancellationToken).ConfigureAwait(false))
                {
                    if (await reader.IsDBNullAsync(0, cancellationToken).ConfigureAwait(false))
                    {
                        isNewest = true;
                    }
                    else if (reader.GetInt16(0) < 0)
                    {
                        IsNoted = false;
                    }
                    else
                    {
                        newest[reader.GetInt16(0)] = new CoapFencingToken(reader.GetInt64(1));
                    }
                }
            }

            return isNewest ? CoapWriteResult.ByFences(batch.Span, newest) : null;
        }
    }

    // PostgreSQL has no function that reads a number of 8 bytes.
    private static string NumberAt(string offset) => $"('x' || encode(substring(state from {offset} for 8), 'hex'))::bit(64)::bigint";

    private async Task<NpgsqlConnection> OpenAsync(CancellationToken cancellationToken)
    {
        if (_connection is not null)
        {
            return _connection;
        }

        NpgsqlConnection connection = await connections.OpenOwnAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            // The plan of a batch does not depend on its values. Custom plans took the server twice the time for small batches, which are
            // the most frequent.
            await PostgreSqlSchema.ExecuteAsync(connection, "set plan_cache_mode = force_generic_plan", cancellationToken)
                .ConfigureAwait(false);

            _write = Write;

            // Waits for a batch of a lost connection, which holds the row's lock.
            NpgsqlCommand command = PostgreSqlCommandFactory.Make(connection, _begin, PostgreSqlCommandFactory.Value(id));
            await using (command.ConfigureAwait(false))
            {
                _generation = (long)(await command.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false))!;
            }

            return _connection = connection;
        }
        finally
        {
            if (_connection is null)
            {
                await connection.DisposeAsync().ConfigureAwait(false);
            }
        }
    }

    private async Task CloseAsync()
    {
        NpgsqlConnection? connection = _connection;
        _connection = null;
        if (connection is not null)
        {
            await connection.DisposeAsync().ConfigureAwait(false);
        }
    }
}
