using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Files;

/// <summary>
/// Opens and reads files that operators name, such as those of keys. Nothing blocks and memory is bounded, whatever is in the place of the
/// file: a pipe, a socket, a device or a directory is an error. Links are followed, because container volumes mount secrets as links.
/// </summary>
internal static class RegularFile
{
    /// <summary>Maximum length in bytes of certificates, and of other files with a small number of entries.</summary>
    public const int MaxLength = 16 * 1024 * 1024;

    /// <summary>Maximum length in bytes of files with an entry for each of very many devices.</summary>
    public const int MaxListLength = 256 * 1024 * 1024;

    private const int FirstLength = 4096;

    /// <summary>Opens a file to read it.</summary>
    /// <exception cref="IOException">There is no such file, or it is not a regular file. The message does not contain the path.</exception>
    /// <exception cref="UnauthorizedAccessException">The process has no right to read it.</exception>
    public static SafeFileHandle Open(string path)
    {
        // Before the opening too: to open a device can have an effect.
        ThrowUnlessRegular(KindOf(path));
        SafeFileHandle file = OpenHandle(path);
        try
        {
            // The file may be another one by now.
            ThrowUnlessRegular(file, path);
            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Reads a whole file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="maxLength">Maximum length in bytes.</param>
    /// <returns>The content in an array that does not move, so that the caller can overwrite secrets.</returns>
    /// <exception cref="IOException">
    /// There is no such file, it is longer, or it is not a regular file. The message does not contain the path.
    /// </exception>
    /// <exception cref="UnauthorizedAccessException">The process has no right to read it.</exception>
    public static byte[] ReadBytes(string path, int maxLength)
    {
        using SafeFileHandle file = Open(path);

        // Some file systems report no length. One more byte shows the end.
        long reported = RandomAccess.GetLength(file);
        byte[] bytes = reported > maxLength ? throw TooLong(maxLength) : New((int)Math.Min(Math.Max(reported, FirstLength), maxLength) + 1);
        int length = 0;
        try
        {
            while (RandomAccess.Read(file, bytes.AsSpan(length), length) is > 0 and int read)
            {
                length += read;
                if (length > maxLength)
                {
                    throw TooLong(maxLength);
                }

                if (length == bytes.Length)
                {
                    bytes = Copy(bytes, length, (int)Math.Min(2L * length, maxLength + 1L));
                }
            }

            return bytes = Copy(bytes, length, length);
        }
        catch
        {
            CryptographicOperations.ZeroMemory(bytes);
            throw;
        }
    }

    /// <summary>Reads the beginning of a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="bytes">Receives the bytes.</param>
    /// <returns>The number of bytes; fewer than there is room for only if the file ends.</returns>
    /// <inheritdoc cref="Open(string)" path="/exception"/>
    public static int ReadStart(string path, Span<byte> bytes)
    {
        using SafeFileHandle file = Open(path);
        int length = 0;
        while (length < bytes.Length && RandomAccess.Read(file, bytes[length..], length) is > 0 and int read)
        {
            length += read;
        }

        return length;
    }

    /// <summary>Reads a whole file as text: UTF-8, or what its first bytes say.</summary>
    /// <inheritdoc cref="ReadBytes"/>
    public static string ReadText(string path, int maxLength = MaxLength)
    {
        byte[] bytes = ReadBytes(path, maxLength);
        try
        {
            return TextOf(bytes);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(bytes);
        }
    }

    /// <summary>The text of the bytes of a file: UTF-8, or what its first bytes say.</summary>
    public static string TextOf(byte[] bytes)
    {
        using StreamReader reader = new(new MemoryStream(bytes, writable: false), Encoding.UTF8);
        return reader.ReadToEnd();
    }

    private static IOException TooLong(int maxLength) => new(string.Create(
        CultureInfo.InvariantCulture, $"It has more than {maxLength:N0} bytes, which is the limit. Name the right file, or split it."));

    private static byte[] New(int length) => GC.AllocateUninitializedArray<byte>(length, pinned: true);

    private static byte[] Copy(byte[] bytes, int used, int length)
    {
        byte[] copy = New(length);
        bytes.AsSpan(0, used).CopyTo(copy);
        CryptographicOperations.ZeroMemory(bytes);
        return copy;
    }

    private static SafeFileHandle OpenHandle(string path) => NonBlockingFile.IsSupported
        ? NonBlockingFile.Open(path)
        : File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);

    // None if there is no file, or it is not accessible: the opening reports that, without the path, which may be a misplaced secret.
    private static FileKind KindOf(string path)
    {
        try
        {
            return FileStatus.OfTarget(path).Kind;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return FileKind.None;
        }
    }

    private static void ThrowUnlessRegular(FileKind kind)
    {
        if (kind is not (FileKind.Regular or FileKind.None))
        {
            throw new NotRegularFileException();
        }
    }

    private static void ThrowUnlessRegular(SafeFileHandle file, string path)
    {
        ThrowUnlessRegular(FileStatus.Of(file, path).Kind);

        // Where the system does not report the kind: pipes, sockets and terminals cannot seek. What can, ends at the limit of the reader.
        using FileStream stream = new(new SafeFileHandle(file.DangerousGetHandle(), ownsHandle: false), FileAccess.Read, 0, file.IsAsync);
        if (!stream.CanSeek || (File.GetAttributes(file) & FileAttributes.Directory) != 0)
        {
            throw new NotRegularFileException();
        }
    }
}
