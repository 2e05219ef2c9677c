using CoAP.NET.Cluster.Maps;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>
/// Which history the data of a server belong to: its system identifier, which a restore into another server changes, and its timeline,
/// which each promotion of a standby and each recovery to a point in time changes. Thread-safe.
/// </summary>
/// <remarks>
/// Each statement that reads or writes records compares it with the history that the tables were written with. The statement itself does
/// so, because a connection to a standby stays open when the standby is promoted. A server in recovery refuses the functions.
/// </remarks>
/// <param name="options">Whether failovers lose nothing (<see cref="CoapPostgreSqlClusterOptions.HasSynchronousStandby"/>).</param>
internal sealed class PostgreSqlHistory(CoapPostgreSqlClusterOptions options)
{
    private const string Function = "pg_control_system()";
    private const string Server = $"(select system_identifier::text from {Function})";

    // Not the timeline of pg_control_checkpoint(), which changes with the first checkpoint after a promotion.
    private const string Timeline = "substring(pg_walfile_name(pg_current_wal_lsn()) for 8)";

    private volatile Knowledge _knowledge;

    // The data that the server reveals to this user.
    private enum Knowledge
    {
        NotAsked,
        All,
        TimelineOnly,
        Nothing,
    }

    /// <summary>Whether the server was asked for its history.</summary>
    public bool IsKnown => _knowledge != Knowledge.NotAsked;

    /// <summary>SQL for the history of the server that executes it; an empty text if it does not reveal its history.</summary>
    public string Sql => _knowledge switch
    {
        Knowledge.All => $"({Server} || '/' || {Timeline})",
        Knowledge.TimelineOnly => $"('/' || {Timeline})",
        _ => "''",
    };

    /// <summary>SQL that is true if the executing server has the history in the column <c>history</c>, or failovers lose nothing.</summary>
    public string SqlIsNoted => options.HasSynchronousStandby ? "not pg_is_in_recovery()" : _knowledge switch
    {
        Knowledge.All => $"history in ({Server} || '/' || {Timeline}, '/' || {Timeline})",
        Knowledge.TimelineOnly => $"split_part(history, '/', 2) = {Timeline}",
        _ => "true",
    };

    /// <summary>What the store cannot notice, and what to do; null for nothing.</summary>
    public string? Limitation => options.HasSynchronousStandby ? null : _knowledge switch
    {
        Knowledge.TimelineOnly => $"The user of the database may not execute {Function}. The store would not notice that another server "
            + $"has its tables, without its last writes. Stored OSCORE contexts do not open, because their numbers could be used twice. "
            + $"Execute as a superuser: grant execute on function {Function} to \"{new NpgsqlConnectionStringBuilder(
                options.ConnectionString).Username}\". Or use a synchronous standby, and set HasSynchronousStandby.",
        Knowledge.Nothing => $"The database does not report its history ({Function} and its timeline). The store would not "
            + "notice a failover that loses writes. Stored OSCORE contexts do not open, because their numbers could be used twice. Use PostgreSQL, or a "
            + "synchronous standby, and set HasSynchronousStandby.",
        _ => null,
    };

    /// <summary>Finds out which data the server reveals to this user.</summary>
    public async Task AskAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        _knowledge = await TellsAsync(connection, Server + ", " + Timeline, cancellationToken).ConfigureAwait(false) ? Knowledge.All
            : await TellsAsync(connection, Timeline, cancellationToken).ConfigureAwait(false) ? Knowledge.TimelineOnly
            : Knowledge.Nothing;
    }

    /// <summary>Finds out whether the user has got a missing right meanwhile.</summary>
    public async Task AskAgainAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        if (_knowledge != Knowledge.TimelineOnly)
        {
            return;
        }

        // Executing the function would write an error into the log of the server each time.
        NpgsqlCommand command = PostgreSqlCommandFactory.Make(connection, $"select has_function_privilege('{Function}', 'execute')");
        bool hasRight;
        await using (command.ConfigureAwait(false))
        {
            hasRight = await command.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false) is true;
        }

        if (hasRight)
        {
            await AskAsync(connection, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Asks again at the next call, because the user has lost a right.</summary>
    public void Forget() => _knowledge = Knowledge.NotAsked;

    /// <summary>Returns the map after a change of the history, or a loss that shows in its version.</summary>
    /// <param name="map">The map of the store.</param>
    /// <param name="noted">The history that the tables were written with; empty before the first node.</param>
    /// <param name="now">The history of the server.</param>
    /// <param name="known">The highest version of the map that this node read before.</param>
    /// <returns>The map; the same one if nothing was lost.</returns>
    public CoapClusterSlotMap Judge(CoapClusterSlotMap map, string noted, string now, long known) =>
        map.Version < known || !IsNoted(noted, now) ? map.AfterLoss(known, options.TimeProvider!.GetUtcNow()) : map;

    /// <summary>Whether the tables of a server were written with its history, or failovers lose nothing.</summary>
    public bool IsNoted(string noted, string now) => options.HasSynchronousStandby || noted.Length == 0 || now.Length == 0
        || IsSame(noted, now);

    /// <summary>Returns what to note: the history of the server, unless the tables have the same one in more detail.</summary>
    public static string ToNote(string noted, string now) =>
        now.Length == 0 || (noted.Length > 0 && now[0] == '/' && IsSame(noted, now)) ? noted : now;

    // A user without the right knows the timeline only.
    private static bool IsSame(string noted, string now)
    {
        int ofNoted = noted.IndexOf('/', StringComparison.Ordinal);
        int ofNow = now.IndexOf('/', StringComparison.Ordinal);
        return noted.AsSpan(ofNoted + 1).SequenceEqual(now.AsSpan(ofNow + 1))
            && (ofNoted <= 0 || ofNow <= 0 || noted.AsSpan(0, ofNoted).SequenceEqual(now.AsSpan(0, ofNow)));
    }

    private static async Task<bool> TellsAsync(NpgsqlConnection connection, string what, CancellationToken cancellationToken)
    {
        NpgsqlCommand command = PostgreSqlCommandFactory.Make(connection, $"select {what}");
        await using (command.ConfigureAwait(false))
        {
            try
            {
                await command.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
                return true;
            }
            catch (PostgresException exception) when (exception.SqlState is PostgresErrorCodes.UndefinedFunction
                or PostgresErrorCodes.FeatureNotSupported or PostgresErrorCodes.InsufficientPrivilege)
            {
                return false;
            }
        }
    }
}
