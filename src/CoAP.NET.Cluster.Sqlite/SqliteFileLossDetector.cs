using System.Runtime.InteropServices;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>
/// Checks that the files of an open connection are still those at their paths. SQLite itself writes on into files that were removed,
/// renamed or replaced: no later process finds these writes.
/// </summary>
internal static partial class SqliteFileLossDetector
{
    private const string Library = "e_sqlite3";

    // sqlite.org/c3ref/c_fcntl_begin_atomic_write.html: SQLite compares the file that it has open with the one at the path.
    private const int HasMoved = 20;

    private static readonly bool s_isAsked = raw.GetNativeLibraryName() == Library;

    public static string LogOf(string path) => path + "-wal";

    /// <summary>Returns the error of a file that is not at its path; null if both are.</summary>
    public static CoapClusterStoreException? FindLoss(SqliteConnection connection, string path) =>
        !IsThere(connection, path) ? SqliteFaults.Gone(path)
        : !File.Exists(LogOf(path)) ? SqliteFaults.LogGone(path, LogOf(path))
        : null;

    private static bool IsThere(SqliteConnection connection, string path)
    {
        // Windows neither removes nor renames a file that SQLite has open, and SQLite has no answer there.
        if (s_isAsked && !OperatingSystem.IsWindows()
            && FileControl(connection.Handle!, null, HasMoved, out int hasMoved) == SqliteFaults.Ok)
        {
            return hasMoved == 0;
        }

        return File.Exists(path);
    }

    // A native program has it beside itself, as Microsoft.Data.Sqlite loads it.
    [LibraryImport(Library, EntryPoint = "sqlite3_file_control", StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories | DllImportSearchPath.AssemblyDirectory)]
    private static partial int FileControl(sqlite3 connection, string? database, int operation, out int value);
}
