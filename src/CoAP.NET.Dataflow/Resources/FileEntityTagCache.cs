using System.Buffers;
using System.IO.Hashing;
using CoAP.NET.Files;

namespace CoAP.NET.Resources;

/// <summary>
/// The entity-tags of files: hashes of their content, so two servers with the same file have the same tag, and a file that was only copied
/// or touched keeps it. The class reads a file once, and again when its length or last write time changes. Shared by all endpoints of the
/// process; thread-safe.
/// </summary>
internal static class FileEntityTagCache
{
    private const int MaxFiles = 4096;
    private const int Chunk = 128 * 1024;

    private static readonly Lock s_gate = new();
    private static readonly LruDictionary<string, Entry> s_entries = new(MaxFiles, StringComparer.Ordinal);

    /// <summary>Returns how often a file was read completely, for tests; 0 for an unknown file.</summary>
    public static int TimesRead(string path)
    {
        lock (s_gate)
        {
            return s_entries.TryGetValue(Path.GetFullPath(path), out Entry? entry) ? entry.TimesRead : 0;
        }
    }

    /// <summary>Returns the entity-tag of a file.</summary>
    /// <param name="file">The file, at its beginning.</param>
    /// <param name="stamp">Its state.</param>
    /// <param name="cancellationToken">Ends the wait of this caller, unless the tag is made from its file.</param>
    public static Task<CoapETag> GetAsync(FileStream file, FileStamp stamp, CancellationToken cancellationToken)
    {
        lock (s_gate)
        {
            if (s_entries.TryUse(file.Name, out Entry? known) && known.Stamp == stamp && !known.Tag.IsFaulted)
            {
                return known.Tag.WaitAsync(cancellationToken);
            }

            Entry made = new(stamp, (known?.TimesRead ?? 0) + 1, HashAsync(file, stamp.Length));
            s_entries.Set(file.Name, made);
            return made.Tag;
        }
    }

    // Others may wait for it, and it is useful later. Bytes that have been added since then belong to another state.
    private static async Task<CoapETag> HashAsync(FileStream file, long length)
    {
        XxHash128 hash = new();
        byte[] buffer = ArrayPool<byte>.Shared.Rent((int)Math.Clamp(length, 1, Chunk));
        try
        {
            for (long left = length; left > 0;)
            {
                int size = (int)Math.Min(buffer.Length, left);
                await file.ReadExactlyAsync(buffer.AsMemory(0, size)).ConfigureAwait(false);
                hash.Append(buffer.AsSpan(0, size));
                left -= size;
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }

        return new CoapETag(hash.GetCurrentHash().AsSpan(0, CoapETag.MaxLength));
    }

    private sealed record Entry(FileStamp Stamp, int TimesRead, Task<CoapETag> Tag);
}
