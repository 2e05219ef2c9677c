using System.Globalization;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Files;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>Creates and opens the file, exclusively for its owner and this process.</summary>
/// <param name="options">The options.</param>
/// <param name="mark">Remembers an earlier file.</param>
internal sealed class SqliteOpener(CoapSqliteClusterOptions options, SqliteMark mark)
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    // The header of a SQLite file. SQLite takes shorter files for new ones, and deletes their log.
    private const int MinLength = 100;

    public SqliteConnection Open(bool mayCreate)
    {
        Prepare(mayCreate);
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
            CheckLength(connection);
            SqliteSchema.Upgrade(connection, options.Path);
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    // SQLite reads zeros behind the end of a file, and counts a cut page as a whole one. After the checkpoint no page is in the log only.
    private void CheckLength(SqliteConnection connection)
    {
        Ask(connection, "pragma wal_checkpoint(truncate)");
        long expected = SqliteSchema.Number(connection, "pragma page_count") * SqliteSchema.Number(connection, "pragma page_size");
        long length = new FileInfo(options.Path).Length;
        if (length < expected)
        {
            throw SqliteFaults.Cut(options.Path, length, expected);
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

    // Created before SQLite does so with default permissions and in steps. An existing file is not opened: closing it would release the
    // locks of another connection of this process.
    private void Prepare(bool mayCreate)
    {
        try
        {
            FileInfo file = new(options.Path);
            if (!file.Exists)
            {
                Create(mayCreate);
            }
            else if (file.Length < MinLength)
            {
                throw SqliteFaults.TooShort(options.Path, file.Length);
            }
            else if (!OperatingSystem.IsWindows() && (file.UnixFileMode & ~OwnerOnly) != 0)
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

    private void Create(bool mayCreate)
    {
        // SQLite would apply this log to a new file.
        string log = SqliteFileLossDetector.LogOf(options.Path);
        if (File.Exists(log))
        {
            throw SqliteFaults.LogAlone(options.Path, log);
        }

        if (!mayCreate)
        {
            throw SqliteFaults.Gone(options.Path);
        }

        if (mark.Exists)
        {
            throw SqliteFaults.Missing(options.Path, mark.Path);
        }

        DurableFile.MakeDirectory(Path.GetDirectoryName(options.Path)!);
        DurableFile.TryCreate(options.Path, SqliteSchema.NewFile());
    }
}
