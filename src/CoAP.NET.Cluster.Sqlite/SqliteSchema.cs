using System.Globalization;
using System.Runtime.InteropServices;
using CoAP.NET.Cluster.Stores;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>The tables of a file, and their upgrades from older versions.</summary>
internal static class SqliteSchema
{
    /// <summary>Distinguishes files of this library from other SQLite files: "CoAP".</summary>
    public const int ApplicationId = 0x436F4150;

    // The version of the first step. Earlier ones were of previews, which encrypted the numbers of OSCORE contexts.
    private const int First = 3;

    // The step at index n makes version First + n of the one before. A released step never changes; a new version adds a step. No step
    // changes or drops "oscore", which every version reads: without it the numbers of contexts would begin at 0 again.
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
        create table store (id blob not null);
        insert into store values (randomblob(16));
        create table oscore (
            slot integer not null, key blob not null, fence integer not null, epoch integer not null, bound integer not null,
            received blob not null, primary key (slot, key)) without rowid;
        """,

        // The turn of the store; see SqliteMark.
        "alter table store add column turn integer not null default 0",
    ];

    public static int Version => First + s_steps.Length - 1;

    /// <summary>Returns the bytes of a file without records.</summary>
    public static byte[] NewFile()
    {
        using SqliteConnection connection = new("Data Source=:memory:");
        connection.Open();
        Advance(connection, 0);
        IntPtr copy = raw.sqlite3_serialize(connection.Handle, "main", out long length, 0);
        if (copy == IntPtr.Zero)
        {
            throw new InsufficientMemoryException("SQLite has no memory for a new file.");
        }

        byte[] bytes = new byte[length];
        Marshal.Copy(copy, bytes, 0, bytes.Length);
        raw.sqlite3_free(copy);
        return bytes;
    }

    /// <summary>Upgrades a file to the version of this library in one transaction.</summary>
    /// <exception cref="CoapClusterStoreException">The file is newer, or does not belong to this library.</exception>
    public static void Upgrade(SqliteConnection connection, string path)
    {
        // A new file has all of it before it has its name. A file without the mark is none of this library, also one without tables.
        long version = Number(connection, "pragma user_version");
        if (Number(connection, "pragma application_id") != ApplicationId)
        {
            throw new CoapClusterStoreException(CoapClusterStoreFault.Incompatible,
                $"{path} is a SQLite file of another application. Choose another file for the state of the server.");
        }

        if (version > Version)
        {
            throw new CoapClusterStoreException(CoapClusterStoreFault.Incompatible,
                $"A newer version of CoAP.NET.Cluster.Sqlite wrote {path} (its tables have version {version}, this one supports "
                + $"{Version}). Use that version, or give this one its own file.");
        }

        if (version < 1)
        {
            throw new FormatException(string.Create(CultureInfo.InvariantCulture, $"Its tables have version {version}, which none has."));
        }

        if (version < First)
        {
            throw new CoapClusterStoreException(CoapClusterStoreFault.Incompatible,
                $"A preview of CoAP.NET.Cluster.Sqlite wrote {path} (its tables have version {version}, this one supports {First} to "
                + $"{Version}). Give the server a new file: clients handshake again. Give OSCORE contexts new Master Secrets, because "
                + "their numbers begin again.");
        }

        if (version < Version)
        {
            Advance(connection, (int)version);
        }
    }

    /// <summary>Returns the id of a store, which no other one has.</summary>
    public static Guid IdOf(SqliteConnection connection)
    {
        using SqliteCommand command = connection.CreateCommand();
        command.CommandText = "select id from store";
        return command.ExecuteScalar() is byte[] { Length: 16 } id ? new Guid(id) : throw new FormatException("It has no id of a store.");
    }

    /// <summary>Checks a fence or version, which begins at 0 and is only ever increased.</summary>
    /// <exception cref="FormatException">It has a value that it never reaches.</exception>
    public static long Counter(long value) => value is >= 0 and < long.MaxValue / 2
        ? value
        : throw new FormatException(string.Create(CultureInfo.InvariantCulture, $"{value} is neither a fence nor a version."));

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

    private static void Advance(SqliteConnection connection, int version)
    {
        using SqliteTransaction transaction = connection.BeginTransaction(deferred: false);
        for (int step = Math.Max(version + 1, First); step <= Version; step++)
        {
            Execute(connection, s_steps[step - First]);
        }

        Execute(connection, string.Create(CultureInfo.InvariantCulture, $"pragma application_id = {ApplicationId}"));
        Execute(connection, string.Create(CultureInfo.InvariantCulture, $"pragma user_version = {Version}"));
        transaction.Commit();
    }
}
