using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>
/// Creates the tables in which the silos of Microsoft Orleans find each other with PostgreSQL (<c>UseAdoNetClustering</c>).
/// </summary>
public static class CoapOrleansTables
{
    // One at a time: PostgreSQL does not serialize "create table if not exists". Any constant that nobody else uses.
    private const long LockKey = 0x436F_4150_4F72_6C65;

    // Names, columns and keys are those that Orleans.Clustering.AdoNet 10 asks for.
    private const string Tables = """
        create table if not exists OrleansQuery (
            QueryKey varchar(64) not null constraint OrleansQuery_Key primary key,
            QueryText varchar(8000) not null);
        create table if not exists OrleansMembershipVersionTable (
            DeploymentId varchar(150) not null constraint PK_OrleansMembershipVersionTable_DeploymentId primary key,
            Timestamp timestamptz(3) not null default now(),
            Version integer not null default 0);
        create table if not exists OrleansMembershipTable (
            DeploymentId varchar(150) not null references OrleansMembershipVersionTable,
            Address varchar(45) not null,
            Port integer not null,
            Generation integer not null,
            SiloName varchar(150) not null,
            HostName varchar(150) not null,
            Status integer not null,
            ProxyPort integer,
            SuspectTimes varchar(8000),
            StartTime timestamptz(3) not null,
            IAmAliveTime timestamptz(3) not null,
            constraint PK_MembershipTable_DeploymentId primary key (DeploymentId, Address, Port, Generation));
        """;

    private const string OfSilo = "DeploymentId = @DeploymentId and Address = @Address and Port = @Port and Generation = @Generation";

    private const string Columns = "v.DeploymentId, m.Address, m.Port, m.Generation, m.SiloName, m.HostName, m.Status, m.ProxyPort, "
        + "m.SuspectTimes, m.StartTime, m.IAmAliveTime, v.Version";

    // Only who knows the newest version may change it, and the row with it. Without a change of the row the version stays, too.
    private const string NextVersion = "with version as (update OrleansMembershipVersionTable set Timestamp = now(), Version = Version + 1 "
        + "where DeploymentId = @DeploymentId and Version = @Version and ";

    private const string HasSilo = $"exists (select from OrleansMembershipTable where {OfSilo})";

    private const string AndThen = " returning DeploymentId), changed as (";

    private const string Changed = " returning 1) select count(*)::integer as row_count from changed";

    // Those that Orleans.Clustering.AdoNet 10 asks for by their keys.
    internal static IReadOnlyList<(string Key, string Text)> Queries { get; } =
    [
        ("MembershipReadAllKey", $"select {Columns} from OrleansMembershipVersionTable v left join OrleansMembershipTable m "
            + "on m.DeploymentId = v.DeploymentId where v.DeploymentId = @DeploymentId"),
        ("MembershipReadRowKey", $"select {Columns} from OrleansMembershipVersionTable v left join OrleansMembershipTable m "
            + "on m.DeploymentId = v.DeploymentId and m.Address = @Address and m.Port = @Port and m.Generation = @Generation "
            + "where v.DeploymentId = @DeploymentId"),
        ("InsertMembershipVersionKey", "with changed as (insert into OrleansMembershipVersionTable (DeploymentId) values (@DeploymentId) "
            + "on conflict do nothing" + Changed),
        ("InsertMembershipKey", NextVersion + "not " + HasSilo + AndThen + "insert into OrleansMembershipTable (DeploymentId, Address, "
            + "Port, Generation, SiloName, HostName, Status, ProxyPort, StartTime, IAmAliveTime) select DeploymentId, @Address, @Port, "
            + "@Generation, @SiloName, @HostName, @Status, @ProxyPort, @StartTime, @IAmAliveTime from version on conflict do nothing"
            + Changed),
        ("UpdateMembershipKey", NextVersion + HasSilo + AndThen + "update OrleansMembershipTable m set Status = @Status, "
            + "SuspectTimes = @SuspectTimes, IAmAliveTime = @IAmAliveTime from version where m.DeploymentId = version.DeploymentId "
            + "and m.Address = @Address and m.Port = @Port and m.Generation = @Generation" + Changed),
        ("UpdateIAmAlivetimeKey", $"update OrleansMembershipTable set IAmAliveTime = @IAmAliveTime where {OfSilo}"),
        ("GatewaysQueryKey", "select Address, ProxyPort, Generation from OrleansMembershipTable "
            + "where DeploymentId = @DeploymentId and Status = @Status and ProxyPort > 0"),
        ("DeleteMembershipTableEntriesKey", "delete from OrleansMembershipTable where DeploymentId = @DeploymentId; "
            + "delete from OrleansMembershipVersionTable where DeploymentId = @DeploymentId"),
        ("CleanupDefunctSiloEntriesKey", "delete from OrleansMembershipTable where DeploymentId = @DeploymentId "
            + "and IAmAliveTime < @IAmAliveTime and Status <> 3"),
    ];

    /// <summary>
    /// Creates the tables and queries that are missing. Call it before the silo starts; several processes may call it at the same time.
    /// </summary>
    /// <remarks>It needs the right to create tables in the first schema of the search path. Scripts of Orleans that ran before are kept.
    /// </remarks>
    /// <param name="connectionString">The connection string of <c>UseAdoNetClustering</c>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that completes when the tables exist.</returns>
    /// <exception cref="NpgsqlException">PostgreSQL is unavailable, or refuses it.</exception>
    /// <exception cref="ArgumentException"><paramref name="connectionString"/> is empty.</exception>
    public static async Task CreateAsync(string connectionString, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(connectionString);
        NpgsqlDataSource source = NpgsqlDataSource.Create(connectionString);
        await using (source.ConfigureAwait(false))
        {
            NpgsqlConnection connection = await source.OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
            await using (connection.ConfigureAwait(false))
            {
                NpgsqlTransaction transaction = await connection.BeginTransactionAsync(cancellationToken).ConfigureAwait(false);
                await using (transaction.ConfigureAwait(false))
                {
                    await PostgreSqlClusterMapStore.ExecuteAsync(
                        connection, $"select pg_advisory_xact_lock({LockKey})", cancellationToken).ConfigureAwait(false);
                    await PostgreSqlClusterMapStore.ExecuteAsync(connection, Tables, cancellationToken).ConfigureAwait(false);
                    await PostgreSqlClusterMapStore.ExecuteAsync(connection,
                        "insert into OrleansQuery (QueryKey, QueryText) select * from unnest($1::text[], $2::text[]) "
                        + "on conflict (QueryKey) do nothing", cancellationToken,
                        PostgreSqlCommandFactory.Value<string[]>([.. Queries.Select(static query => query.Key)]),
                        PostgreSqlCommandFactory.Value<string[]>([.. Queries.Select(static query => query.Text)])).ConfigureAwait(false);
                    await transaction.CommitAsync(cancellationToken).ConfigureAwait(false);
                }
            }
        }
    }
}
