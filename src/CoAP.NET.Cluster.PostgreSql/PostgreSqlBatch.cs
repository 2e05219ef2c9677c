using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>Converts a batch of changes to arrays of columns, for a single statement of any size.</summary>
internal static class PostgreSqlBatch
{
    // Exceeds the range of PostgreSQL's timestamps.
    private const double ForEver = 1_000.0 * 365 * 24 * 3_600;

    public static NpgsqlCommand ToCommand(
        NpgsqlConnection connection, string sql, Guid writer, long generation, ReadOnlySpan<CoapRecordChange> batch)
    {
        List<CoapRecordChange> puts = [];
        List<CoapRecordChange> removals = [];
        SortedSet<short> slots = [];
        foreach (CoapRecordChange change in batch)
        {
            (change.IsRemoval ? removals : puts).Add(change);
            slots.Add(change.Key.Slot.Number);
        }

        return PostgreSqlCommands.Make(
            connection,
            sql,
            PostgreSqlCommands.Value(writer),
            PostgreSqlCommands.Value(generation),
            PostgreSqlCommands.Value<short[]>([.. slots]),
            Kinds(puts),
            Slots(puts),
            Keys(puts),
            Fences(puts),
            PostgreSqlCommands.Value<byte[][]>([.. puts.Select(static change => change.State.ToArray())]),
            PostgreSqlCommands.Value<double?[]>([.. puts.Select(static change => Seconds(change.Lifetime))]),
            Kinds(removals),
            Slots(removals),
            Keys(removals),
            Fences(removals));
    }

    private static double? Seconds(TimeSpan lifetime) =>
        lifetime == Timeout.InfiniteTimeSpan || lifetime.TotalSeconds > ForEver ? null : lifetime.TotalSeconds;

    private static NpgsqlParameter Kinds(List<CoapRecordChange> changes) =>
        PostgreSqlCommands.Value<short[]>([.. changes.Select(static change => (short)change.Key.Kind)]);

    private static NpgsqlParameter Slots(List<CoapRecordChange> changes) =>
        PostgreSqlCommands.Value<short[]>([.. changes.Select(static change => (short)change.Key.Slot.Number)]);

    private static NpgsqlParameter Keys(List<CoapRecordChange> changes) =>
        PostgreSqlCommands.Value<byte[][]>([.. changes.Select(static change => change.Key.Bytes.ToArray())]);

    private static NpgsqlParameter Fences(List<CoapRecordChange> changes) =>
        PostgreSqlCommands.Value<long[]>([.. changes.Select(static change => change.Fence.Value)]);
}
