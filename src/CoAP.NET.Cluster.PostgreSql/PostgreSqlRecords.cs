using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>Reads records, and removes expired ones.</summary>
internal sealed class PostgreSqlRecords(string schema)
{
    private const string RowOfRecord = "key, fence, state, extract(epoch from nullif(expires, 'infinity') - clock_timestamp())::float8";

    // The state as it was written; see CoapRecordKind.OscoreContext.
    private const string RowOfOscore = "key, fence, int8send(epoch) || int8send(bound) || received, null::float8";

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

    public async Task<IReadOnlyList<CoapRecord>> ReadAsync(
        NpgsqlConnection connection, CoapRecordKind kind, CoapSlot slot, byte[] after, int count, CancellationToken cancellationToken)
    {
        List<CoapRecord> records = [];
        string sql = IsOscore(kind) ? _readOscore : _read;
        await foreach (CoapRecord record in QueryAsync(connection, sql, kind, slot, after, count, cancellationToken).ConfigureAwait(false))
        {
            records.Add(record);
        }

        return records;
    }

    public async Task<CoapRecord?> FindAsync(NpgsqlConnection connection, CoapRecordKey key, CancellationToken cancellationToken)
    {
        CoapRecord? found = null;
        string sql = IsOscore(key.Kind) ? _findOscore : _find;
        await foreach (CoapRecord record in QueryAsync(connection, sql, key.Kind, key.Slot, key.Bytes.ToArray(), 1, cancellationToken)
            .ConfigureAwait(false))
        {
            found = record;
        }

        return found;
    }

    public async Task<int> RemoveExpiredAsync(NpgsqlConnection connection, int count, CancellationToken cancellationToken)
    {
        await PostgreSqlSchema.ExecuteAsync(connection, _removeDead, cancellationToken).ConfigureAwait(false);
        return await PostgreSqlClusterMapStore.ExecuteAsync(
            connection, _removeExpired, cancellationToken, PostgreSqlCommandFactory.Value(count))
            .ConfigureAwait(false);
    }

    private static bool IsOscore(CoapRecordKind kind) => kind == CoapRecordKind.OscoreContext;

    private static async IAsyncEnumerable<CoapRecord> QueryAsync(
        NpgsqlConnection connection, string sql, CoapRecordKind kind, CoapSlot slot, byte[] key, int count,
        [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken)
    {
        NpgsqlCommand command = PostgreSqlCommandFactory.Make(connection, sql, PostgreSqlCommandFactory.Value((short)kind),
            PostgreSqlCommandFactory.Value((short)slot.Number), PostgreSqlCommandFactory.Value(key), PostgreSqlCommandFactory.Value(count));
        await using (command.ConfigureAwait(false))
        {
            NpgsqlDataReader reader = await command.ExecuteReaderAsync(cancellationToken).ConfigureAwait(false);
            await using (reader.ConfigureAwait(false))
            {
                while (await reader.ReadAsync(cancellationToken).ConfigureAwait(false))
                {
                    bool isForEver = await reader.IsDBNullAsync(3, cancellationToken).ConfigureAwait(false);
                    yield return new CoapRecord(
                        new CoapRecordKey(kind, slot, reader.GetFieldValue<byte[]>(0)),
                        new CoapFencingToken(reader.GetInt64(1)),
                        reader.GetFieldValue<byte[]>(2),
                        isForEver ? Timeout.InfiniteTimeSpan : TimeSpan.FromSeconds(Math.Max(reader.GetDouble(3), 0)));
                }
            }
        }
    }
}
