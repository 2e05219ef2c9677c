using System.Globalization;
using Microsoft.Data.Sqlite;

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>The tables of a file, and how those of an older version become those of this one.</summary>
internal static class SqliteSchema
{
    /// <summary>What tells a file of ours from other SQLite files: "CoAP".</summary>
    public const int ApplicationId = 0x436F4150;

    // The step at index n makes version n + 1 of version n. Never changed once it was released; a new version is a further step.
    private static readonly string[] s_steps =
    [
        """
        create table map (version integer not null);
        insert into map values (0);
        create table slots (slot integer primary key, node blob not null, fence integer not null);
        create table records (
            kind integer not null, slot integer not null, key blob not null, fence integer not null, state blob not null,
            expires integer not null, primary key (kind, slot, key)) without rowid;
        create index records_expire on records (expires);
        """,
    ];

    /// <summary>The version that this library writes.</summary>
    public static int Version => s_steps.Length;

    /// <summary>Brings a file to the version of this library, in one transaction.</summary>
    /// <param name="connection">The file.</param>
    /// <param name="path">What messages name.</param>
    /// <exception cref="CoapClusterStoreException">It is newer, or no file of ours.</exception>
    public static void Upgrade(SqliteConnection connection, string path)
    {
        long version = Number(connection, "pragma user_version");
        long application = Number(connection, "pragma application_id");
        bool isNew = version == 0 && application == 0 && Number(connection, "select count(*) from sqlite_master") == 0;
        if (!isNew && application != ApplicationId)
        {
            throw new CoapClusterStoreException(CoapClusterStoreFault.Incompatible,
                $"{path} is a SQLite file of another application. Choose another file for the state of the server.");
        }

        if (version > Version)
        {
            throw new CoapClusterStoreException(CoapClusterStoreFault.Incompatible,
                $"{path} was written by a newer version of CoAP.NET.Cluster.Sqlite (its tables have version {version}, this one knows "
                + $"{Version}). Use that version, or give this one a file of its own.");
        }

        if (version == Version)
        {
            return;
        }

        using SqliteTransaction transaction = connection.BeginTransaction(deferred: false);
        for (int step = (int)version; step < Version; step++)
        {
            Execute(connection, s_steps[step]);
        }

        Execute(connection, string.Create(CultureInfo.InvariantCulture, $"pragma application_id = {ApplicationId}"));
        Execute(connection, string.Create(CultureInfo.InvariantCulture, $"pragma user_version = {Version}"));
        transaction.Commit();
    }

    public static long Number(SqliteConnection connection, string sql)
    {
        using SqliteCommand command = connection.CreateCommand();
#pragma warning disable CA2100 // only texts of this assembly
        command.CommandText = sql;
#pragma warning restore CA2100
        return Convert.ToInt64(command.ExecuteScalar(), CultureInfo.InvariantCulture);
    }

    public static void Execute(SqliteConnection connection, string sql)
    {
        using SqliteCommand command = connection.CreateCommand();
#pragma warning disable CA2100 // only texts of this assembly
        command.CommandText = sql;
#pragma warning restore CA2100
        command.ExecuteNonQuery();
    }
}
