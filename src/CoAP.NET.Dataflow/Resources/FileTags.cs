using System.Buffers;
using System.IO.Hashing;

namespace CoAP.NET.Resources;

/// <summary>
/// The entity-tags of files: hashes of their content, so two servers with the same file have the same tag, and a file that was only copied
/// or touched keeps it. The class reads a file once, and again when its length or last write time changes. Shared by all endpoints of the
/// process; thread-safe.
/// </summary>
internal static class FileTags
{
    private const int MaxFiles = 4096;
    private const int Chunk = 128 * 1024;

    private static readonly Lock s_gate = new();
    private static readonly LruDictionary<string, Entry> s_entries = new(MaxFiles, StringComparer.Ordinal);

    /// <summary>Returns how often the current version of a file was read completely, for tests; 0 for an unknown file.</summary>
    public static long TimesRead(string path)
    {
        lock (s_gate)
        {
            return s_entries.TryGetValue(Path.GetFullPath(path), out Entry? entry) ? entry.TimesRead : 0;
        }
    }

    /// <summary>Returns the entity-tag of a file.</summary>
    /// <param name="file">The file, at its beginning.</param>
    /// <param name="stamp">Its state.</param>
    /// <param name="cancellationToken">Ends the wait of this caller; other callers of the same file continue.</param>
    public static async ValueTask<CoapETag> GetAsync(FileStream file, FileStamp stamp, CancellationToken cancellationToken)
    {
        Entry? entry;
        bool isNew;
        lock (s_gate)
        {
            isNew = !s_entries.TryUse(file.Name, out entry) || entry.Stamp != stamp;
            if (isNew)
            {
                s_entries.Set(file.Name, entry = new Entry(stamp));
            }
        }

        if (!isNew)
        {
            return await entry!.Tag.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }

        try
        {
            CoapETag tag = await HashAsync(file, entry!).ConfigureAwait(false);
            entry!.Tag.SetResult(tag);
            return tag;
        }
        catch (Exception exception)
        {
            lock (s_gate)
            {
                // The next caller reads it again.
                if (s_entries.TryGetValue(file.Name, out Entry? current) && current == entry)
                {
                    s_entries.Remove(file.Name, out _);
                }
            }

            entry!.Tag.SetException(exception);
            _ = entry.Tag.Task.Exception;
            throw;
        }
    }

    // The first caller must not cancel it: others may wait for it, and it is useful later. Bytes that were added since are of another state.
    private static async Task<CoapETag> HashAsync(FileStream file, Entry entry)
    {
        entry.TimesRead++;
        XxHash128 hash = new();
        byte[] buffer = ArrayPool<byte>.Shared.Rent((int)Math.Clamp(entry.Stamp.Length, 1, Chunk));
        try
        {
            for (long left = entry.Stamp.Length; left > 0;)
            {
                int length = (int)Math.Min(buffer.Length, left);
                await file.ReadExactlyAsync(buffer.AsMemory(0, length)).ConfigureAwait(false);
                hash.Append(buffer.AsSpan(0, length));
                left -= length;
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }

        return new CoapETag(hash.GetCurrentHash().AsSpan(0, CoapETag.MaxLength));
    }

    private sealed class Entry(FileStamp stamp)
    {
        public FileStamp Stamp => stamp;

        public long TimesRead { get; set; }

        public TaskCompletionSource<CoapETag> Tag { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
