using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Resources;

/// <summary>Reads files at a position.</summary>
internal static class SeekableFile
{
    public static SafeFileHandle Open(string path) =>
        File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete,
            FileOptions.Asynchronous | FileOptions.RandomAccess);

    /// <summary>Reads until the buffer is full or the file ends.</summary>
    /// <returns>The number of bytes read.</returns>
    public static async ValueTask<int> ReadAsync(SafeFileHandle file, Memory<byte> buffer, long offset, CancellationToken cancellationToken)
    {
        int length = 0;
        int read;
        while (length < buffer.Length
            && (read = await RandomAccess.ReadAsync(file, buffer[length..], offset + length, cancellationToken).ConfigureAwait(false)) > 0)
        {
            length += read;
        }

        return length;
    }
}
