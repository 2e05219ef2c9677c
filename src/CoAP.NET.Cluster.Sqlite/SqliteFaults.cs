using System.Globalization;
using CoAP.NET.Cluster.Stores;
using Microsoft.Data.Sqlite;

namespace CoAP.NET.Cluster.Sqlite;

/// <summary>
/// Creates the exceptions of a SQLite store, from result codes (sqlite.org/rescode.html) and from what happened to its files.
/// </summary>
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

    // DTLS numbers begin again with new keys, and only this file has the old keys. OSCORE keys are elsewhere and survive a lost file.
    private const string NewBeginning = "End this process, move the file away together with those that end in -wal and -mark, and give "
        + "OSCORE contexts new Master Secrets: with the old ones their numbers would be used twice. The next start creates a new file, and "
        + "clients handshake and register again.";

    /// <summary>Creates the error of a file that is not at its path, although this process had it open.</summary>
    public static CoapClusterStoreException Gone(string path) => new(CoapClusterStoreFault.Lost,
        $"{path} was removed, renamed or replaced while this process used it. Nothing is stored or confirmed any more, because no later "
        + "process would find it. Put the same file back at its place, and the store continues; a copy or a backup is not the same. If the "
        + $"file is lost: {NewBeginning}");

    /// <summary>Creates the error of a log that is not at its path, although this process has it open.</summary>
    public static CoapClusterStoreException LogGone(string path, string log) => new(CoapClusterStoreFault.Lost,
        $"{log} was removed or renamed while this process used it. Nothing is stored or confirmed any more. Stop this process in an "
        + $"orderly way, and do not kill it: it still has the log open, and writes its content to {path} when it ends. Then start again.");

    /// <summary>Creates the error of a file that is another one than before.</summary>
    public static CoapClusterStoreException Replaced(string path) => new(CoapClusterStoreFault.Lost,
        $"{path} is another file, or an older copy of the file, than this process had open before. Message numbers would be used twice. "
        + $"Put the file back that was there. If it is lost: {NewBeginning}");

    /// <summary>Creates the error of a missing file, although there was one.</summary>
    /// <param name="path">The file.</param>
    /// <param name="mark">The file that records it.</param>
    public static CoapClusterStoreException Missing(string path, string mark) => new(CoapClusterStoreFault.Lost,
        $"{path} is missing, but {mark} records that there was one. Put the file back, with its log (-wal). If it is lost: "
        + $"{NewBeginning} Removing {mark} confirms the loss.");

    /// <summary>Creates the error of a file that is not the recorded one.</summary>
    /// <param name="path">The file.</param>
    /// <param name="mark">The file that records another one.</param>
    public static CoapClusterStoreException NotRecorded(string path, string mark) => new(CoapClusterStoreFault.Lost,
        $"{path} is another file than {mark} records, or an older copy, such as a backup. Message numbers would be used twice. Put the "
        + $"newest file back, with its log (-wal). If it is lost: {NewBeginning}");

    /// <summary>Creates the error of a mark that cannot be read or written.</summary>
    /// <param name="mark">The mark.</param>
    /// <param name="exception">The error of the file system.</param>
    public static CoapClusterStoreException OfMark(string mark, Exception exception) => new(
        exception is UnauthorizedAccessException ? CoapClusterStoreFault.Denied : CoapClusterStoreFault.Unavailable,
        $"{mark} cannot be read or written: {exception.Message} Nothing is stored without it. Let the user of this process own the file "
        + "and its folder. The next call tries again.", exception);

    /// <summary>Creates the error of a file whose end is missing.</summary>
    /// <param name="path">The file.</param>
    /// <param name="length">Its length in bytes.</param>
    /// <param name="expected">Its length according to its first page.</param>
    public static CoapClusterStoreException Cut(string path, long length, long expected) => new(CoapClusterStoreFault.Corrupt,
        string.Create(CultureInfo.InvariantCulture, $"{path} has {length} bytes in place of {expected}: its end was cut off. ")
        + NewBeginning);

    /// <summary>Creates the error of a file that is too short to be one.</summary>
    /// <param name="path">The file.</param>
    /// <param name="length">Its length in bytes.</param>
    public static CoapClusterStoreException TooShort(string path, long length) => new(CoapClusterStoreFault.Corrupt,
        string.Create(CultureInfo.InvariantCulture, $"{path} has {length} bytes and is not a file of a store: a store completes ")
        + $"a new file before it gives it this name. The content was lost, or another program made the file. {NewBeginning}");

    /// <summary>Creates the error of a log without its file.</summary>
    public static CoapClusterStoreException LogAlone(string path, string log) => new(CoapClusterStoreFault.Lost,
        $"{path} is missing, but {log} is there, which belongs to it and may have confirmed changes. Put the file back. If it is lost: "
        + $"{NewBeginning}");

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
            $"{path} is damaged, or not a file of a store ({text}). {NewBeginning}", inner),
        Permission or ReadOnly or Authorization => new CoapClusterStoreException(CoapClusterStoreFault.Denied,
            $"{path} is not writable: {text.TrimEnd('.')}. Let the user of this process own the file and its folder.", inner),
        _ => new CoapClusterStoreException(CoapClusterStoreFault.Unavailable,
            $"{path} cannot be read or written: {text.TrimEnd('.')}. Check that its disk is available and that this process may create files in the "
            + "folder. The next call tries again.", inner),
    };
}
