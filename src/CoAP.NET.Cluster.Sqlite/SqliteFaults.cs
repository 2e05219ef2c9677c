using Microsoft.Data.Sqlite;

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>Translates result codes of SQLite to store faults (sqlite.org/rescode.html).</summary>
internal static class SqliteFaults
{
    public const int Ok = 0;
    public const int Permission = 3;
    public const int Busy = 5;
    public const int Locked = 6;
    public const int ReadOnly = 8;
    public const int Corrupt = 11;
    public const int Full = 13;
    public const int Authorization = 23;
    public const int NotADatabase = 26;

    public static CoapClusterStoreException Of(string path, SqliteException exception) =>
        Of(path, exception.SqliteErrorCode, exception.Message, exception);

    public static CoapClusterStoreException Of(string path, int code, string text, Exception? inner = null) => code switch
    {
        Busy or Locked => new CoapClusterStoreException(CoapClusterStoreFault.InUse,
            $"{path} is in use: another process has it open. A file belongs to one server at a time. End the other one, or give this one "
            + "its own file.", inner),
        Full => new CoapClusterStoreException(CoapClusterStoreFault.Full,
            $"{path} cannot grow: the disk is full, or MaxBytes is reached. Make room; until then nothing new is stored.", inner),
        Corrupt or NotADatabase => new CoapClusterStoreException(CoapClusterStoreFault.Corrupt,
            $"{path} is damaged, or not a file of a store ({text}). Move it away together with the file that ends in -wal. The store then "
            + "creates a new one: clients handshake and register again.", inner),
        Permission or ReadOnly or Authorization => new CoapClusterStoreException(CoapClusterStoreFault.Denied,
            $"{path} is not writable: {text} Let the user of this process own the file and its folder.", inner),
        _ => new CoapClusterStoreException(CoapClusterStoreFault.Unavailable,
            $"{path} cannot be read or written: {text}. Check that its disk is available and that this process may create files in the "
            + "folder. The next call tries again.", inner),
    };
}
