using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>
/// Which history the data of a server belong to: its system identifier, which a restore into another server changes, and its timeline,
/// which each promotion of a standby and each recovery to a point in time changes.
/// </summary>
internal static class PostgreSqlTimelineReader
{
    /// <summary>Reads the history of the server.</summary>
    /// <returns>The history; empty if the server does not tell it, as some that are only compatible with PostgreSQL.</returns>
    public static async Task<string> ReadAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        // Not the timeline of pg_control_checkpoint(), which changes with the first checkpoint after a promotion.
        NpgsqlCommand command = PostgreSqlCommandFactory.Make(connection,
            "select system_identifier::text || '/' || substring(pg_walfile_name(pg_current_wal_lsn()) for 8) from pg_control_system()");
        await using (command.ConfigureAwait(false))
        {
            try
            {
                return (string?)await command.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false) ?? "";
            }
            catch (PostgresException exception) when (exception.SqlState is PostgresErrorCodes.UndefinedFunction
                or PostgresErrorCodes.FeatureNotSupported or PostgresErrorCodes.InsufficientPrivilege)
            {
                return "";
            }
        }
    }

    /// <summary>Returns the map after a change of the history, or a loss that shows in its version.</summary>
    /// <param name="map">The map of the store.</param>
    /// <param name="noted">The history that the tables were written with; empty before the first node.</param>
    /// <param name="now">The history of the server.</param>
    /// <param name="known">The highest version of the map that this node read before.</param>
    /// <param name="keepsWrites">Whether failovers lose nothing (<see cref="CoapPostgreSqlClusterOptions.HasSynchronousStandby"/>).</param>
    /// <param name="time">The time.</param>
    /// <returns>The map; the same one if nothing was lost.</returns>
    public static CoapClusterSlotMap Judge(
        CoapClusterSlotMap map, string noted, string now, long known, bool keepsWrites, DateTimeOffset time) =>
        map.Version < known || (!keepsWrites && noted.Length > 0 && now.Length > 0 && noted != now) ? map.AfterLoss(known, time) : map;
}
