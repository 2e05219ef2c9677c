using System.Text.RegularExpressions;
using CoAP.NET.Settings;
using Microsoft.Extensions.Logging;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>The options of a store in PostgreSQL (tested with version 15), which several nodes share.</summary>
/// <remarks>
/// The store creates missing tables and upgrades them to the version of the package under a lock; nodes may start at the same time. It uses
/// one connection for its lease, one for writes, one that listens, and up to eight for reads.
/// </remarks>
[HasSettings]
public sealed partial class CoapPostgreSqlClusterOptions
{
    /// <summary>The connection string for Npgsql: <c>Host=db;Database=meters;Username=meters;Password=...</c>. Required.</summary>
    /// <remarks>
    /// Connect directly to the server, or through a pooler in session mode. With several hosts set <c>Target Session
    /// Attributes=primary</c>: otherwise a connection may reach a standby, which can neither write nor renew a lease.
    /// </remarks>
    public partial string ConnectionString { get; set; } = "";

    /// <summary>The schema of the tables, which the store creates if necessary. Default <c>coap_cluster</c>.</summary>
    /// <remarks>
    /// The name has at most 40 characters: a to z, 0 to 9 and underscores. Clusters that share a database need a schema each. Do not use
    /// the name of the database user: PostgreSQL searches a schema with that name first, and would create the tables of the application
    /// there, too.
    /// </remarks>
    public partial string Schema { get; set; } = "coap_cluster";

    /// <summary>The timeout of a call.</summary>
    [TimeRange(1, 5 * Seconds.Minute)]
    public partial TimeSpan CommandTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>The interval at which the store checks for dead nodes.</summary>
    /// <remarks>PostgreSQL does not notify nodes of a lease that ends. Changes by live nodes are notified at once.</remarks>
    [TimeRange(10 * Seconds.Millisecond, Seconds.Minute)]
    public partial TimeSpan PollInterval { get; set; } = TimeSpan.FromMilliseconds(250);

    /// <summary>
    /// Whether the standby is synchronous (<c>synchronous_standby_names</c>), so that a failover loses no confirmed write. Default false.
    /// </summary>
    /// <remarks>
    /// A standby that lags behind loses confirmed writes when it takes over, and record numbers would be used twice. The store notices each
    /// failover and each restore (another system identifier or timeline), and by default refuses stored sessions then: each device makes
    /// one handshake, and the numbers of OSCORE contexts continue 2^24 above. With true it does so only if the map is older than before.
    /// <para>Noticing each failover needs the right to execute <c>pg_control_system()</c>. With false and without it, stored OSCORE
    /// contexts do not open, and health is Degraded.</para>
    /// </remarks>
    public partial bool HasSynchronousStandby { get; set; }

    /// <summary>The clock of retries. Null, the default, uses the system clock. The database measures leases and lifetimes.</summary>
    public partial TimeProvider? TimeProvider { get; set; }

    /// <summary>Creates a node with this store, for an application without a host. With a host, call <c>UsePostgreSql</c>.</summary>
    /// <param name="options">The options of the node, read-only from now on.</param>
    /// <param name="timeProvider">The clock; null for the system clock.</param>
    /// <param name="logger">The log of store failures and takeovers; null for none.</param>
    /// <returns>The node. It connects in <see cref="CoapCluster.StartAsync"/>. Dispose of it after its servers.</returns>
    /// <exception cref="ArgumentException">An option is missing or out of its range.</exception>
    /// <exception cref="PlatformNotSupportedException">On Linux: there is no OpenSSL.</exception>
    public CoapCluster CreateCluster(CoapClusterOptions options, TimeProvider? timeProvider = null, ILogger? logger = null) =>
        new(new CoapPostgreSqlClusterStore(this), options, timeProvider, logger: logger);

    internal CoapPostgreSqlClusterOptions Checked()
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(ConnectionString, nameof(ConnectionString));
        if (!SchemaName().IsMatch(Schema))
        {
            throw new ArgumentException(
                $"'{Schema}' is not a valid schema name. Use a to z, 0 to 9 and underscores, a letter first, at most 40 characters.",
                nameof(Schema));
        }

        NpgsqlConnectionStringBuilder connection = new(ConnectionString)
        {
            CommandTimeout = (int)Math.Ceiling(CommandTimeout.TotalSeconds),
            IncludeErrorDetail = false,
        };
        if (connection.Host?.Contains(',', StringComparison.Ordinal) == true)
        {
            if (connection.TargetSessionAttributes is not ("primary" or "read-write"))
            {
                throw new ArgumentException(
                    "The connection string names several hosts, but not which of them to use. A connection to a standby can neither write "
                    + "nor renew a lease. Add 'Target Session Attributes=primary' to it.", nameof(ConnectionString));
            }

            // After a failover the new primary is found within this time, and not after 10 s, when leases have ended.
            connection.HostRecheckSeconds = Math.Min(connection.HostRecheckSeconds, 1);
        }

        connection.ApplicationName ??= "CoAP.NET.Cluster";
        return new CoapPostgreSqlClusterOptions
        {
            ConnectionString = connection.ToString(),
            Schema = Schema,
            CommandTimeout = CommandTimeout,
            PollInterval = PollInterval,
            HasSynchronousStandby = HasSynchronousStandby,
            TimeProvider = TimeProvider ?? TimeProvider.System,
        };
    }

    [GeneratedRegex("^[a-z][a-z0-9_]{0,39}$")]
    private static partial Regex SchemaName();
}
