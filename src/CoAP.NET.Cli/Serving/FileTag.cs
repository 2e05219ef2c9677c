using System.Buffers.Binary;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Cli.Serving;

/// <summary>Entity-tags of files: of their length and the time of their last change, so that nothing has to be read.</summary>
internal static class FileTag
{
    public static CoapETag Of(SafeFileHandle file) => Of(RandomAccess.GetLength(file), File.GetLastWriteTimeUtc(file));

    /// <summary>The entity-tag of a file; null when there is none.</summary>
    public static CoapETag? Of(string path)
    {
        FileInfo file = new(path);
        return file.Exists ? Of(file.Length, file.LastWriteTimeUtc) : null;
    }

    private static CoapETag Of(long length, DateTime lastWrite)
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteInt64BigEndian(bytes, length);
        BinaryPrimitives.WriteInt64BigEndian(bytes[8..], lastWrite.Ticks);
        return CoapETag.FromContent(bytes);
    }
}
