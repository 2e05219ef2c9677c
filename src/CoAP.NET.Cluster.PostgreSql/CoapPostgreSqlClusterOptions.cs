using System.Text.RegularExpressions;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>Where and how a <see cref="CoapPostgreSqlClusterStore"/> keeps what it is given.</summary>
public sealed partial class CoapPostgreSqlClusterOptions
{
    /// <summary>
    /// The database, as Npgsql has it: <c>Host=db;Database=meters;Username=coap;Password=...</c>. Straight to the server, or through a
    /// pooler in session mode: leases hold a lock of their connection.
    /// </summary>
    public string ConnectionString { get; set; } = "";

    /// <summary>
    /// The schema of the tables, <c>coap</c> by default: a to z, 0 to 9 and underscores, 40 characters at most. It is made where there is
    /// none. Clusters that share a database have a schema each.
    /// </summary>
    public string Schema { get; set; } = "coap";

    /// <summary>How long one call may take, from 1 s to 5 minutes, 10 s by default.</summary>
    public TimeSpan CommandTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How often it is looked whether nodes are gone, from 10 ms to 1 minute, 250 ms by default. A process that ends loses its lock at
    /// once, which nobody is told of; what nodes do themselves is told at once.
    /// </summary>
    public TimeSpan PollInterval { get; set; } = TimeSpan.FromMilliseconds(250);

    /// <summary>The clock of pauses after a failure; null for the system's. Leases and lifetimes are counted by the database.</summary>
    public TimeProvider? TimeProvider { get; set; }

    internal CoapPostgreSqlClusterOptions Checked()
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(ConnectionString, nameof(ConnectionString));
        if (!SchemaName().IsMatch(Schema))
        {
            throw new ArgumentException(
                $"'{Schema}' is no name of a schema here: a to z, 0 to 9 and underscores, a letter first, 40 characters at most.",
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
