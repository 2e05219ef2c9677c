using System.Globalization;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>Creates and opens the file, exclusively for its owner and this process.</summary>
internal sealed class SqliteOpening(CoapSqliteClusterOptions options)
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    public SqliteConnection Open()
    {
        Prepare();
        SqliteConnection connection = new(new SqliteConnectionStringBuilder
        {
            DataSource = options.Path,
            Mode = SqliteOpenMode.ReadWrite,
            Pooling = false,
        }.ToString());
        try
        {
            connection.Open();

            // The process locks the file exclusively. Asked directly, because commands wait half a minute for a file in use. The mode comes
            // first: with it the log needs no shared memory.
            Ask(connection, "pragma locking_mode = exclusive");
            Ask(connection, "pragma journal_mode = wal");
            Ask(connection, "begin immediate; commit");
            SqliteSchema.Execute(connection, string.Create(CultureInfo.InvariantCulture, $"""
                pragma synchronous = full;
                pragma fullfsync = on;
                pragma journal_size_limit = 16777216;
                pragma trusted_schema = off;
                pragma max_page_count = {options.MaxBytes / SqliteSchema.Number(connection, "pragma page_size")};
                """));
            SqliteSchema.Upgrade(connection, options.Path);
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    private void Ask(SqliteConnection connection, string sql)
    {
        int code = raw.sqlite3_exec(connection.Handle, sql);
        if (code != SqliteFaults.Ok)
        {
            throw SqliteFaults.Of(options.Path, code & 0xff, raw.sqlite3_errmsg(connection.Handle).utf8_to_string());
        }
    }

    // Created before SQLite does so with default permissions. An existing file is not opened: closing it would release the locks of another
    // connection of this process.
    private void Prepare()
    {
        try
        {
            string folder = Path.GetDirectoryName(options.Path)!;
            if (OperatingSystem.IsWindows())
            {
                Directory.CreateDirectory(folder);
            }
            else if (!Directory.Exists(folder))
            {
                Directory.CreateDirectory(folder, OwnerOnly | UnixFileMode.UserExecute);
            }

            if (!File.Exists(options.Path))
            {
                FileStreamOptions made = new() { Mode = FileMode.CreateNew, Access = FileAccess.Write, BufferSize = 0 };
                if (!OperatingSystem.IsWindows())
                {
                    made.UnixCreateMode = OwnerOnly;
                }

                new FileStream(options.Path, made).Dispose();
            }
            else if (!OperatingSystem.IsWindows() && (File.GetUnixFileMode(options.Path) & ~OwnerOnly) != 0)
            {
                File.SetUnixFileMode(options.Path, OwnerOnly);
            }
        }
        catch (UnauthorizedAccessException exception)
        {
            throw SqliteFaults.Of(options.Path, SqliteFaults.Permission, exception.Message, exception);
        }
        catch (IOException exception)
        {
            throw new CoapClusterStoreException(CoapClusterStoreFault.Unavailable, $"{options.Path} cannot be created: {exception.Message}",
                exception);
        }
    }
}
