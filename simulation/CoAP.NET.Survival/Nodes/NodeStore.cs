using CoAP.NET.Cluster.PostgreSql;
using CoAP.NET.Cluster.Sqlite;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Survival.Nodes;

/// <summary>Where a node keeps its state, as a word of a command line.</summary>
internal static class NodeStore
{
    public const string None = "none";
    private const string SqlitePrefix = "sqlite:";
    private const string PostgreSqlPrefix = "postgresql:";

    public static string Sqlite(string path) => SqlitePrefix + path;

    public static string PostgreSql(string connectionString) => PostgreSqlPrefix + connectionString;

    /// <summary>The connection string of a PostgreSQL.</summary>
    /// <param name="place">What was said.</param>
    public static string ConnectionOf(string place) => place[PostgreSqlPrefix.Length..];

    /// <summary>Opens it; null for none.</summary>
    /// <param name="place">What was said.</param>
    /// <param name="keepsWrites">Whether a failover of PostgreSQL keeps all confirmed writes.</param>
    /// <exception cref="ArgumentException">It says nothing that is known.</exception>
    public static ICoapClusterStore? Open(string place, bool keepsWrites) => place switch
    {
        None => null,
        _ when place.StartsWith(SqlitePrefix, StringComparison.Ordinal) =>
            new CoapSqliteClusterStore(new CoapSqliteClusterOptions { Path = place[SqlitePrefix.Length..] }),
        _ when place.StartsWith(PostgreSqlPrefix, StringComparison.Ordinal) =>
            new CoapPostgreSqlClusterStore(new CoapPostgreSqlClusterOptions
            {
                ConnectionString = ConnectionOf(place),
                HasSynchronousStandby = keepsWrites,
            }),
        _ => throw new ArgumentException($"'{place}' is not a store: none, {SqlitePrefix}PATH or {PostgreSqlPrefix}CONNECTION."),
    };
}
