using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Stores;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>
/// The lease of a node: a row with a time. A connection that ends says nothing about its node, which may be live. Used by one call at a
/// time.
/// </summary>
internal sealed class PostgreSqlLease(
    PostgreSqlConnections connections, PostgreSqlClusterMapStore map, PostgreSqlHistory history)
{
    private readonly string _renew = $"""
        with before as (
            select lease > clock_timestamp() and address = $2 and leaving = $4 as is_same from {connections.Schema}.nodes where node = $1),
        made as (
            insert into {connections.Schema}.nodes (node, address, leaving, lease)
            values ($1, $2, $4, clock_timestamp() + make_interval(secs => $3))
            on conflict (node) do update set address = excluded.address, leaving = excluded.leaving, lease = excluded.lease)
        select coalesce((select is_same from before), false)
        """;

    private NpgsqlConnection? _connection;
    private CoapClusterNode? _self;
    private long _known;

    public Task<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken)
    {
        NodeLeaseRules.CheckSame(_self?.Id ?? default, self.Id);
        return RunAsync(
            async connection =>
            {
                _self = self;
                await history.AskAgainAsync(connection, cancellationToken).ConfigureAwait(false);
                await RenewAsync(connection, self, lease, cancellationToken).ConfigureAwait(false);
                return await ReadAsync(connection, cancellationToken).ConfigureAwait(false);
            },
            cancellationToken);
    }

    /// <summary>Reads the map, and notes the history of the server if it has taken over or was restored.</summary>
    public Task<CoapClusterSlotMap> NoteAsync(CancellationToken cancellationToken) =>
        RunAsync(connection => ReadAsync(connection, cancellationToken), cancellationToken);

    /// <summary>
    /// Changes the map. If the connection is lost, it reports failure even if the change took effect: the caller reads the map again.
    /// </summary>
    public Task<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken) => RunAsync(
        async connection =>
        {
            bool isTaken = await map.TryChangeAsync(connection, wanted, cancellationToken).ConfigureAwait(false);
            if (isTaken)
            {
                await NotifyAsync(connection, cancellationToken).ConfigureAwait(false);
            }

            return isTaken;
        },
        cancellationToken);

    /// <summary>Releases the lease, and closes the connection.</summary>
    public async Task EndAsync(CancellationToken cancellationToken)
    {
        if (_connection is not null && _self is not null)
        {
            try
            {
                await PostgreSqlClusterMapStore.ExecuteAsync(_connection, $"delete from {connections.Schema}.nodes where node = $1",
                    cancellationToken, PostgreSqlCommandFactory.Value(_self.Id.Value)).ConfigureAwait(false);
                await NotifyAsync(_connection, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception exception) when (PostgreSqlFaults.IsFault(exception) || exception is OperationCanceledException)
            {
                // The lease expires.
            }
        }

        await CloseAsync().ConfigureAwait(false);
    }

    // Retries once over a new connection if this one was lost.
    private async Task<T> RunAsync<T>(Func<NpgsqlConnection, Task<T>> call, CancellationToken cancellationToken)
    {
        for (bool isLast = false; ; isLast = true)
        {
            try
            {
                _connection ??= await connections.OpenOwnAsync(cancellationToken).ConfigureAwait(false);
                return await call(_connection).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                await CloseAsync().ConfigureAwait(false);
                throw;
            }
            catch (Exception exception) when (PostgreSqlFaults.IsFault(exception))
            {
                await CloseAsync().ConfigureAwait(false);
                if (isLast || !PostgreSqlFaults.IsLostConnection(exception))
                {
                    throw PostgreSqlFaults.Of(exception);
                }
            }
        }
    }

    // The map of a store that has lost confirmed changes is corrected before anybody uses it.
    private async Task<CoapClusterSlotMap> ReadAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        while (true)
        {
            (CoapClusterSlotMap read, string noted, string now) =
                await map.ReadWithHistoryAsync(connection, cancellationToken).ConfigureAwait(false);
            CoapClusterSlotMap after = history.Judge(read, noted, now, _known);
            string wanted = PostgreSqlHistory.ToNote(noted, now);
            if (after == read && noted == wanted)
            {
                _known = read.Version;
                return read;
            }

            // After a failure the next round sees what another node has noted.
            if (await map.TryNoteAsync(connection, read, after, wanted, cancellationToken).ConfigureAwait(false) && after != read)
            {
                _known = after.Version;
                await NotifyAsync(connection, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    private async Task RenewAsync(NpgsqlConnection connection, CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken)
    {
        NpgsqlCommand command = PostgreSqlCommandFactory.Make(
            connection,
            _renew,
            PostgreSqlCommandFactory.Value(self.Id.Value),
            PostgreSqlCommandFactory.Value(self.Address),
            PostgreSqlCommandFactory.Value(lease.TotalSeconds),
            PostgreSqlCommandFactory.Value(self.IsLeaving));
        await using (command.ConfigureAwait(false))
        {
            if (await command.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false) is true)
            {
                return;
            }
        }

        await NotifyAsync(connection, cancellationToken).ConfigureAwait(false);
    }

    // Outside of write transactions because NOTIFY takes a lock of the whole server; it only wakes the listeners.
    private Task NotifyAsync(NpgsqlConnection connection, CancellationToken cancellationToken) =>
        PostgreSqlSchema.ExecuteAsync(connection, $"notify {connections.Channel}", cancellationToken);

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
