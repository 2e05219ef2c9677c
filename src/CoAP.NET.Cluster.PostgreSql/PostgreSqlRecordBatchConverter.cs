using CoAP.NET.Cluster.Records;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>Converts a batch of changes to arrays of columns, for a single statement of any size.</summary>
internal static class PostgreSqlRecordBatchConverter
{
    // Exceeds the range of PostgreSQL's timestamps.
    private const double ForEver = 1_000.0 * 365 * 24 * 3_600;

    public static NpgsqlCommand ToCommand(
        NpgsqlConnection connection, string sql, Guid writer, long generation, ReadOnlySpan<CoapRecordWrite> batch)
    {
        List<CoapRecordWrite> puts = [];
        List<CoapRecordWrite> removals = [];
        SortedSet<short> slots = [];
        foreach (CoapRecordWrite change in batch)
        {
            (change.IsRemoval ? removals : puts).Add(change);
            slots.Add(change.Key.Slot.Number);
        }

        return PostgreSqlCommandFactory.Make(
            connection,
            sql,
            PostgreSqlCommandFactory.Value(writer),
            PostgreSqlCommandFactory.Value(generation),
            PostgreSqlCommandFactory.Value<short[]>([.. slots]),
            Kinds(puts),
            Slots(puts),
            Keys(puts),
            Fences(puts),
            PostgreSqlCommandFactory.Value<byte[][]>([.. puts.Select(static change => change.State.ToArray())]),
            PostgreSqlCommandFactory.Value<double?[]>([.. puts.Select(static change => Seconds(change.Lifetime))]),
            Kinds(removals),
            Slots(removals),
            Keys(removals),
            Fences(removals));
    }

    private static double? Seconds(TimeSpan lifetime) =>
        lifetime == Timeout.InfiniteTimeSpan || lifetime.TotalSeconds > ForEver ? null : lifetime.TotalSeconds;

    private static NpgsqlParameter Kinds(List<CoapRecordWrite> changes) =>
        PostgreSqlCommandFactory.Value<short[]>([.. changes.Select(static change => (short)change.Key.Kind)]);

    private static NpgsqlParameter Slots(List<CoapRecordWrite> changes) =>
        PostgreSqlCommandFactory.Value<short[]>([.. changes.Select(static change => (short)change.Key.Slot.Number)]);

    private static NpgsqlParameter Keys(List<CoapRecordWrite> changes) =>
        PostgreSqlCommandFactory.Value<byte[][]>([.. changes.Select(static change => change.Key.Bytes.ToArray())]);

    private static NpgsqlParameter Fences(List<CoapRecordWrite> changes) =>
        PostgreSqlCommandFactory.Value<long[]>([.. changes.Select(static change => change.Fence.Value)]);
}
