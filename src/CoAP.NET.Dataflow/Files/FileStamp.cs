using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Files;

/// <summary>Detects changes of a file: of the target itself if the path is a link, because container volumes replace links.</summary>
/// <param name="Written">The time of the last write; the default if there is no file.</param>
/// <param name="Length">Its length in bytes; -1 if there is no file, -2 if it is not a regular file.</param>
internal readonly record struct FileStamp(DateTime Written, long Length)
{
    public static FileStamp Of(SafeFileHandle file) => new(File.GetLastWriteTimeUtc(file), RandomAccess.GetLength(file));

    public static FileStamp Of(string path)
    {
        try
        {
            using SafeFileHandle file = RegularFile.Open(path);
            return Of(file);
        }
        catch (NotRegularFileException)
        {
            return new FileStamp(default, -2);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            return new FileStamp(default, -1);
        }
    }
}
