using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Hosting;

/// <summary>
/// By what a file is seen to have changed. Of the file itself, wherever links to it lead: volumes of containers exchange them.
/// </summary>
/// <param name="Written">When it was written last; the default when there is none.</param>
/// <param name="Length">How long it is in bytes; -1 when there is none.</param>
internal readonly record struct FileStamp(DateTime Written, long Length)
{
    /// <summary>That of a file as it is now.</summary>
    /// <param name="path">The file.</param>
    public static FileStamp Of(string path)
    {
        try
        {
            using SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            return new FileStamp(File.GetLastWriteTimeUtc(file), RandomAccess.GetLength(file));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            return new FileStamp(default, -1);
        }
    }
}
