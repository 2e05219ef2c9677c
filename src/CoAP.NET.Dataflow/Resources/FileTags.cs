using System.Buffers;
using System.Collections.Concurrent;
using System.IO.Hashing;
using Microsoft.Win32.SafeHandles;

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

    private static readonly ConcurrentDictionary<string, Entry> s_entries = new(StringComparer.Ordinal);

    /// <summary>Returns how often the current version of a file was read completely, for tests; 0 for an unknown file.</summary>
    public static long TimesRead(string path) => s_entries.TryGetValue(Path.GetFullPath(path), out Entry? entry) ? entry.TimesRead : 0;

    /// <summary>Returns the entity-tag of a file.</summary>
    /// <param name="path">Its path.</param>
    /// <param name="file">The file, open.</param>
    /// <param name="length">Its length.</param>
    /// <param name="lastWrite">The time of the last write.</param>
    /// <param name="cancellationToken">Ends the wait of this caller; other callers of the same file continue.</param>
    public static async ValueTask<CoapETag> GetAsync(string path, SafeFileHandle file, long length, DateTime lastWrite,
        CancellationToken cancellationToken)
    {
        string full = Path.GetFullPath(path);
        if (s_entries.TryGetValue(full, out Entry? entry) && entry.Length == length && entry.LastWrite == lastWrite)
        {
            return await entry.Tag.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }

        Entry made = new(length, lastWrite);
        Entry taken = s_entries.AddOrUpdate(full, static (_, made) => made,
            static (_, old, made) => old.Length == made.Length && old.LastWrite == made.LastWrite ? old : made, made);
        if (!ReferenceEquals(taken, made))
        {
            return await taken.Tag.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }

        try
        {
            if (s_entries.Count > MaxFiles && s_entries.FirstOrDefault(pair => !ReferenceEquals(pair.Value, made)) is { Key: { } any })
            {
                s_entries.TryRemove(any, out _);
            }

            CoapETag tag = await HashAsync(file, made).ConfigureAwait(false);
            made.Tag.SetResult(tag);
            return tag;
        }
        catch (Exception exception)
        {
            // The next caller reads it again.
            s_entries.TryRemove(new KeyValuePair<string, Entry>(full, made));
            made.Tag.SetException(exception);
            _ = made.Tag.Task.Exception;
            throw;
        }
    }

    // The first caller must not cancel it: others may wait for it, and it is useful later.
    private static async Task<CoapETag> HashAsync(SafeFileHandle file, Entry entry)
    {
        long length = entry.Length;
        entry.TimesRead++;
        XxHash128 hash = new();
        byte[] buffer = ArrayPool<byte>.Shared.Rent((int)Math.Clamp(length, 1, Chunk));
        try
        {
            for (long offset = 0; offset < length;)
            {
                int read = await SeekableFile.ReadAsync(file, buffer.AsMemory(0, (int)Math.Min(buffer.Length, length - offset)), offset,
                    CancellationToken.None).ConfigureAwait(false);
                if (read == 0)
                {
                    throw new EndOfStreamException($"The file became shorter than {length} bytes during reading.");
                }

                hash.Append(buffer.AsSpan(0, read));
                offset += read;
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }

        return new CoapETag(hash.GetCurrentHash().AsSpan(0, CoapETag.MaxLength));
    }

    private sealed class Entry(long length, DateTime lastWrite)
    {
        public long Length => length;

        public DateTime LastWrite => lastWrite;

        public long TimesRead { get; set; }

        public TaskCompletionSource<CoapETag> Tag { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
