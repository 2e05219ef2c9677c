using System.Text.RegularExpressions;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>The options of a <see cref="CoapPostgreSqlClusterStore"/>.</summary>
public sealed partial class CoapPostgreSqlClusterOptions
{
    /// <summary>
    /// The connection string for Npgsql: <c>Host=db;Database=meters;Username=meters;Password=...</c>. Connect directly to the server, or
    /// through a pooler in session mode: leases hold a lock of their connection. Required.
    /// </summary>
    public string ConnectionString { get; set; } = "";

    /// <summary>
    /// The schema of the tables, which is created if necessary: a to z, 0 to 9 and underscores, at most 40 characters, <c>coap_cluster</c>
    /// by default. Clusters that share a database need a schema each. Do not give it the name of the database user: PostgreSQL searches a
    /// schema with that name first, so the tables of the application would be created there too.
    /// </summary>
    public string Schema { get; set; } = "coap_cluster";

    /// <summary>The timeout of a call: 1 s to 5 minutes, 10 s by default.</summary>
    public TimeSpan CommandTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How often the store checks whether nodes are gone: 10 ms to 1 minute, 250 ms by default. A process that dies loses its lock at once,
    /// but PostgreSQL notifies nobody of it; nodes are notified at once of what others do themselves.
    /// </summary>
    public TimeSpan PollInterval { get; set; } = TimeSpan.FromMilliseconds(250);

    /// <summary>The clock of retries. Null, the default, for the system clock. The database measures leases and lifetimes.</summary>
    public TimeProvider? TimeProvider { get; set; }

    internal CoapPostgreSqlClusterOptions Checked()
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(ConnectionString, nameof(ConnectionString));
        if (!SchemaName().IsMatch(Schema))
        {
            throw new ArgumentException(
                $"'{Schema}' is not a valid name of a schema: use a to z, 0 to 9 and underscores, a letter first, at most 40 characters.",
                nameof(Schema));
        }

        Check(CommandTimeout, TimeSpan.FromSeconds(1), TimeSpan.FromMinutes(5), nameof(CommandTimeout));
        Check(PollInterval, TimeSpan.FromMilliseconds(10), TimeSpan.FromMinutes(1), nameof(PollInterval));
        NpgsqlConnectionStringBuilder connection = new(ConnectionString)
        {
            CommandTimeout = (int)Math.Ceiling(CommandTimeout.TotalSeconds),
            IncludeErrorDetail = false,
        };
        connection.ApplicationName ??= "CoAP.NET.Cluster";
        return new CoapPostgreSqlClusterOptions
        {
            ConnectionString = connection.ToString(),
            Schema = Schema,
            CommandTimeout = CommandTimeout,
            PollInterval = PollInterval,
            TimeProvider = TimeProvider ?? TimeProvider.System,
        };
    }

    private static void Check(TimeSpan value, TimeSpan least, TimeSpan most, string name)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, least, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, most, name);
    }

    [GeneratedRegex("^[a-z][a-z0-9_]{0,39}$")]
    private static partial Regex SchemaName();
}
