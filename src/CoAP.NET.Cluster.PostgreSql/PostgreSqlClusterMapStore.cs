using CoAP.NET.Cluster.Maps;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>Reads and changes the map of a cluster in PostgreSQL: the live nodes, and the owner and fence of each slot.</summary>
internal sealed class PostgreSqlClusterMapStore(string schema, PostgreSqlHistory serverHistory)
{
    // One statement, for a consistent snapshot. A node is live while its lease is valid.
    private string Read => $"""
        select 0 as what, null::smallint, null::uuid, history, version, null::boolean, stale, {serverHistory.Sql} from {schema}.map
        union all
        select 1, null, n.node, n.address, null, n.leaving, null, null from {schema}.nodes n where n.lease > clock_timestamp()
        union all
        select 2, s.slot, s.node, null, s.fence, null, null, null from {schema}.slots s where s.fence > 0
        """;

    /// <summary>Reads the map, the history that the tables were written with, and that of the server.</summary>
    public async Task<(CoapClusterSlotMap Map, string Noted, string Now)> ReadWithHistoryAsync(
        NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        long version = 0;
        long stale = 0;
        string noted = "";
        string now = "";
        List<CoapClusterNode> nodes = [];
        CoapSlotOwner[] owners = new CoapSlotOwner[CoapSlot.Count];
        NpgsqlCommand command = PostgreSqlCommandFactory.Make(connection, Read);
        await using (command.ConfigureAwait(false))
        {
            NpgsqlDataReader reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                while (await reader.ReadAsync(cancellationToken).ConfigureAwait(false))
                {
                    switch (reader.GetInt32(0))
                    {
                        case 0:
                            version = reader.GetInt64(4);
                            stale = reader.GetInt64(6);
                            noted = reader.GetString(3);
                            now = reader.GetString(7);
                            break;
                        case 1:
                            nodes.Add(new CoapClusterNode(new CoapNodeId(reader.GetGuid(2)), reader.GetString(3))
                            {
                                IsLeaving = reader.GetBoolean(5),
                            });
                            break;
                        default:
                            owners[reader.GetInt16(1)] =
                                new CoapSlotOwner(new CoapNodeId(reader.GetGuid(2)), new CoapFencingToken(reader.GetInt64(4)));
                            break;
                    }
                }
            }
        }

        return (new CoapClusterSlotMap(version, nodes, owners, new CoapFencingToken(stale)), noted, now);
    }

    /// <summary>Notes the history of the server, and after a loss takes all slots from their owners.</summary>
    /// <param name="connection">The database.</param>
    /// <param name="read">The map as it was read.</param>
    /// <param name="after">The map after the loss; the same one if nothing was lost.</param>
    /// <param name="history">The history.</param>
    /// <param name="cancellationToken">Cancels it.</param>
    /// <returns>False if another node was faster.</returns>
    public Task<bool> TryNoteAsync(
        NpgsqlConnection connection, CoapClusterSlotMap read, CoapClusterSlotMap after, string history,
            CancellationToken cancellationToken) =>
        TryWriteAsync(connection, read.Version, after, history, cancellationToken);

    public Task<bool> TryChangeAsync(NpgsqlConnection connection, CoapClusterSlotMap wanted, CancellationToken cancellationToken) =>
        TryWriteAsync(connection, wanted.Version - 1, wanted, history: null, cancellationToken);

    private async Task<bool> TryWriteAsync(
        NpgsqlConnection connection, long before, CoapClusterSlotMap wanted, string? history, CancellationToken cancellationToken)
    {
        NpgsqlTransaction transaction = await connection.BeginTransactionAsync(cancellationToken).ConfigureAwait(false);
        await using (transaction.ConfigureAwait(false))
        {
            if (await ExecuteAsync(connection,
                $"update {schema}.map set version = $1, stale = $2, history = coalesce($3, history) where version = $4", cancellationToken,
                PostgreSqlCommandFactory.Value(wanted.Version), PostgreSqlCommandFactory.Value(wanted.StaleFence.Value),
                PostgreSqlCommandFactory.Value<string?>(history), PostgreSqlCommandFactory.Value(before)).ConfigureAwait(false) == 0)
            {
                return false;
            }

            // In the lock order of the writers, to avoid deadlocks.
            short[] slots = [.. wanted.Changed.Select(static slot => (short)slot.Number)];
            await ExecuteAsync(connection, $"select from {schema}.slots where slot = any($1) order by slot for update", cancellationToken,
                PostgreSqlCommandFactory.Value(slots)).ConfigureAwait(false);
            await ExecuteAsync(connection,
                $"update {schema}.slots s set node = b.node, fence = b.fence from unnest($1::smallint[], $2::uuid[], $3::bigint[]) "
                + "as b (slot, node, fence) where s.slot = b.slot", cancellationToken,
                PostgreSqlCommandFactory.Value(slots),
                PostgreSqlCommandFactory.Value<Guid[]>([.. wanted.Changed.Select(slot => wanted[slot].Node.Value)]),
                PostgreSqlCommandFactory.Value<long[]>([.. wanted.Changed.Select(slot => wanted[slot].Fence.Value)])).ConfigureAwait(false);
            await transaction.CommitAsync(cancellationToken).ConfigureAwait(false);
            return true;
        }
    }

    public static async Task<int> ExecuteAsync(
        NpgsqlConnection connection, string sql, CancellationToken cancellationToken, params NpgsqlParameter[] parameters)
    {
        NpgsqlCommand command = PostgreSqlCommandFactory.Make(connection, sql, parameters);
        await using (command.ConfigureAwait(false))
        {
            return await command.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
        }
    }
}
