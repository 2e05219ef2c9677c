using System.Buffers.Binary;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Cli.Serving;

/// <summary>Entity-tags of files: from their length and the time of their last change, without reading them.</summary>
internal static class FileEntityTag
{
    public static CoapETag Of(SafeFileHandle file) => Of(RandomAccess.GetLength(file), File.GetLastWriteTimeUtc(file));

    /// <summary>Returns the entity-tag of a file; null if there is none.</summary>
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
