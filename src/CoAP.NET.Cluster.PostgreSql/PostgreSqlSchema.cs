using CoAP.NET.Cluster.Stores;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>The tables of a schema, and their upgrades from older versions.</summary>
internal static class PostgreSqlSchema
{
    // The version of the first step. Earlier ones were of previews, which encrypted the numbers of OSCORE contexts.
    private const int First = 3;

    // The step at index n makes version First + n of the one before; $s is the schema. A released step never changes. A new version adds a
    // step that nodes of the previous version must support, because nodes are updated one after the other. No step changes or drops
    // "oscore", which every version reads: without it the numbers of contexts would begin at 0 again. An operator may drop all other
    // tables, for example to go back to an older version, and the numbers continue.
    private static readonly string[] s_steps =
    [
        """
        create table $s.map (version bigint not null, stale bigint not null, history text not null);
        insert into $s.map values (0, 0, '');
        create table $s.slots (slot smallint primary key, node uuid not null, fence bigint not null);
        insert into $s.slots select slot, '00000000-0000-0000-0000-000000000000', 0 from generate_series(0, 255) as slot;
        create table $s.nodes (node uuid primary key, address text not null, leaving boolean not null, lease timestamptz not null);
        create sequence $s.generations;
        create table $s.writers (writer uuid primary key, generation bigint not null, opened timestamptz not null);
        create table $s.records (
            kind smallint not null, slot smallint not null, key bytea not null, fence bigint not null, state bytea not null,
            expires timestamptz not null, primary key (kind, slot, key)) with (fillfactor = 70);
        alter table $s.records alter column state set storage external;
        create table if not exists $s.oscore (
            slot smallint not null, key bytea not null, fence bigint not null, epoch bigint not null, bound bigint not null,
            received bytea not null, primary key (slot, key)) with (fillfactor = 70);
        """,
    ];

    public static int Version => First + s_steps.Length - 1;

    /// <summary>Upgrades a schema to the version of this library in one transaction; among several starting nodes one does it.</summary>
    /// <exception cref="CoapClusterStoreException">The schema is newer.</exception>
    public static async Task UpgradeAsync(NpgsqlConnection connection, string schema, CancellationToken cancellationToken)
    {
        if (await VersionAsync(connection, schema, cancellationToken).ConfigureAwait(false) == Version)
        {
            return;
        }

        NpgsqlTransaction transaction = await connection.BeginTransactionAsync(cancellationToken).ConfigureAwait(false);
        await using (transaction.ConfigureAwait(false))
        {
            await ExecuteAsync(connection, $"select pg_advisory_xact_lock(hashtext('CoAP.NET.Cluster {schema}'))", cancellationToken)
                .ConfigureAwait(false);
            int version = await VersionAsync(connection, schema, cancellationToken).ConfigureAwait(false);
            if (version > Version)
            {
                throw new CoapClusterStoreException(CoapClusterStoreFault.Incompatible,
                    $"A newer version of CoAP.NET.Cluster.PostgreSql made the tables in the schema {schema} "
                    + $"(version {version}; this one supports {Version}). Use that version, or another schema.");
            }

            if (version is > 0 and < First)
            {
                throw new CoapClusterStoreException(CoapClusterStoreFault.Incompatible,
                    $"A preview of CoAP.NET.Cluster.PostgreSql made the tables in the schema {schema} (version {version}; this one "
                    + $"supports {First} to {Version}). Use another schema: clients handshake again. Give OSCORE contexts new Master "
                    + "Secrets, because their numbers begin again.");
            }

            if (version == 0)
            {
                await MakeSchemasAsync(connection, transaction, schema, cancellationToken).ConfigureAwait(false);
                await ExecuteAsync(connection,
                    $"create table {schema}.schema_version (version integer not null); "
                    + $"insert into {schema}.schema_version values (0)", cancellationToken).ConfigureAwait(false);
            }

            for (int step = Math.Max(version + 1, First); step <= Version; step++)
            {
                await ExecuteAsync(connection, s_steps[step - First].Replace("$s", schema, StringComparison.Ordinal), cancellationToken)
                    .ConfigureAwait(false);
            }

            await ExecuteAsync(connection, $"update {schema}.schema_version set version = {Version}", cancellationToken)
                .ConfigureAwait(false);
            await transaction.CommitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    // Beside the schema, a mark without tables records that there was one: a later start does not take a dropped one for a new store.
    private static async Task MakeSchemasAsync(
        NpgsqlConnection connection, NpgsqlTransaction transaction, string schema, CancellationToken cancellationToken)
    {
        string mark = schema + "_mark";
        bool hasMark = await IsThereAsync(connection, $"pg_namespace where nspname = '{mark}'", cancellationToken).ConfigureAwait(false);
        if (hasMark && !await HasTableAsync(connection, schema, "oscore", cancellationToken).ConfigureAwait(false))
        {
            throw PostgreSqlFaults.Gone(schema, mark);
        }

        // "create schema if not exists" needs the right also if the schema is there.
        if (!await IsThereAsync(connection, $"pg_namespace where nspname = '{schema}'", cancellationToken).ConfigureAwait(false))
        {
            await ExecuteAsync(connection, $"create schema {schema}", cancellationToken).ConfigureAwait(false);
        }

        if (hasMark)
        {
            return;
        }

        await transaction.SaveAsync(mark, cancellationToken).ConfigureAwait(false);
        try
        {
            await ExecuteAsync(connection, $"create schema {mark}; comment on schema {mark} is 'CoAP.NET: records that the schema "
                + $"{schema} was made. Drop it to confirm that {schema} is lost, after OSCORE contexts have new Master Secrets.'",
                cancellationToken).ConfigureAwait(false);
        }
        catch (PostgresException exception) when (exception.SqlState == PostgresErrorCodes.InsufficientPrivilege)
        {
            // The user owns the schema and may make no other one.
            await transaction.RollbackAsync(mark, cancellationToken).ConfigureAwait(false);
        }
    }

    public static async Task ExecuteAsync(NpgsqlConnection connection, string sql, CancellationToken cancellationToken)
    {
        NpgsqlCommand command = PostgreSqlCommandFactory.Make(connection, sql);
        await using (command.ConfigureAwait(false))
        {
            await command.ExecuteNonQueryAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    // 0 if there is none.
    private static async Task<int> VersionAsync(NpgsqlConnection connection, string schema, CancellationToken cancellationToken)
    {
        if (!await HasTableAsync(connection, schema, "schema_version", cancellationToken).ConfigureAwait(false))
        {
            return 0;
        }

        NpgsqlCommand command = PostgreSqlCommandFactory.Make(connection, $"select version from {schema}.schema_version");
        await using (command.ConfigureAwait(false))
        {
            return await command.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false) is int version ? version : 0;
        }
    }

    // Not to_regclass: it may answer from a cache of the connection that is older than a table made by another node.
    private static Task<bool> HasTableAsync(
        NpgsqlConnection connection, string schema, string table, CancellationToken cancellationToken) =>
        IsThereAsync(connection, "pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace "
            + $"where n.nspname = '{schema}' and c.relname = '{table}'", cancellationToken);

    private static async Task<bool> IsThereAsync(NpgsqlConnection connection, string from, CancellationToken cancellationToken)
    {
        NpgsqlCommand command = PostgreSqlCommandFactory.Make(connection, $"select exists (select from {from})");
        await using (command.ConfigureAwait(false))
        {
            return await command.ExecuteScalarAsync(cancellationToken).ConfigureAwait(false) is true;
        }
    }
}
