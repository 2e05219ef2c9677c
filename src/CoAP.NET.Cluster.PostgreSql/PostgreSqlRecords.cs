using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>Reads records, and removes expired ones.</summary>
internal sealed class PostgreSqlRecords(string schema, PostgreSqlHistory history)
{
    private const string RowOfRecord =
        "key, fence, state, extract(epoch from nullif(expires, 'infinity') - clock_timestamp())::float8 as lifetime";

    // The state as it was written; see CoapRecordKind.OscoreContext.
    private const string RowOfOscore = "key, fence, int8send(epoch) || int8send(bound) || received as state, null::float8 as lifetime";

    private readonly string _read = $"""
        select {RowOfRecord} from {schema}.records
        where kind = $1 and slot = $2 and key > $3 and expires > clock_timestamp() order by key limit $4
        """;

    private readonly string _readOscore = $"select {RowOfOscore} from {schema}.oscore where slot = $2 and key > $3 order by key limit $4";

    private readonly string _find = $"""
        select {RowOfRecord} from {schema}.records where kind = $1 and slot = $2 and key = $3 and expires > clock_timestamp() limit $4
        """;

    private readonly string _findOscore = $"select {RowOfOscore} from {schema}.oscore where slot = $2 and key = $3 limit $4";

    // Skips rows that a writer is about to renew.
    private readonly string _removeExpired = $"""
        delete from {schema}.records where ctid = any(array(
            select ctid from {schema}.records where expires <= clock_timestamp() limit $1 for update skip locked))
        """;

    private readonly string _removeDead = $"""
        delete from {schema}.nodes where lease < clock_timestamp() - interval '1 day';
        delete from {schema}.writers where opened < clock_timestamp() - interval '30 days';
        """;

    /// <summary>Reads a page of records.</summary>
    /// <returns>The records; null if no node has noted the history of the server yet.</returns>
    public Task<IReadOnlyList<CoapRecord>?> ReadAsync(
        NpgsqlConnection connection, CoapRecordKind kind, CoapSlot slot, byte[] after, int count, CancellationToken cancellationToken) =>
        QueryAsync(connection, IsOscore(kind) ? _readOscore : _read, kind, slot, after, count, cancellationToken);

    /// <summary>Finds a record.</summary>
    /// <returns>The record, or none; null if no node has noted the history of the server yet.</returns>
    public Task<IReadOnlyList<CoapRecord>?> FindAsync(
        NpgsqlConnection connection, CoapRecordKey key, CancellationToken cancellationToken) =>
        QueryAsync(connection, IsOscore(key.Kind) ? _findOscore : _find, key.Kind, key.Slot, key.Bytes.ToArray(), 1, cancellationToken);

    public async Task<int> RemoveExpiredAsync(NpgsqlConnection connection, int count, CancellationToken cancellationToken)
    {
        await PostgreSqlSchema.ExecuteAsync(connection, _removeDead, cancellationToken).ConfigureAwait(false);
        return await PostgreSqlClusterMapStore.ExecuteAsync(
            connection, _removeExpired, cancellationToken, PostgreSqlCommandFactory.Value(count))
            .ConfigureAwait(false);
    }

    private static bool IsOscore(CoapRecordKind kind) => kind == CoapRecordKind.OscoreContext;

    // The records, the history of the server and the last loss, in one snapshot: what a node knows of a loss from before may be outdated.
    private async Task<IReadOnlyList<CoapRecord>?> QueryAsync(
        NpgsqlConnection connection, string rows, CoapRecordKind kind, CoapSlot slot, byte[] key, int count,
        CancellationToken cancellationToken)
    {
        string sql = $"with server as materialized (select stale, {history.SqlIsNoted} as noted from {schema}.map) "
            + $"select noted, key, fence, state, lifetime, fence <= stale from server left join lateral ({rows}) as r on true";
        List<CoapRecord>? records = null;
        NpgsqlCommand command = PostgreSqlCommandFactory.Make(connection, sql, PostgreSqlCommandFactory.Value((short)kind),
            PostgreSqlCommandFactory.Value((short)slot.Number), PostgreSqlCommandFactory.Value(key), PostgreSqlCommandFactory.Value(count));
        await using (command.ConfigureAwait(false))
        {
            NpgsqlDataReader reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                while (await reader.ReadAsync(cancellationToken).ConfigureAwait(false) && reader.GetBoolean(0))
                {
                    records ??= [];
                    if (await reader.IsDBNullAsync(1, cancellationToken).ConfigureAwait(false))
                    {
                        continue;
                    }

                    bool isForEver = await reader.IsDBNullAsync(4, cancellationToken).ConfigureAwait(false);
                    records.Add(new CoapRecord(
                        new CoapRecordKey(kind, slot, reader.GetFieldValue<byte[]>(1)),
                        new CoapFencingToken(reader.GetInt64(2)),
                        reader.GetFieldValue<byte[]>(3),
                        isForEver ? Timeout.InfiniteTimeSpan : TimeSpan.FromSeconds(Math.Max(reader.GetDouble(4), 0)))
                    {
                        IsStale = reader.GetBoolean(5),
                    });
                }
            }
        }

        return records;
    }
}
