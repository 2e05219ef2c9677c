using System.Runtime.InteropServices;

namespace CoAP.NET.ResourceDirectory;

/// <summary>How many registrations and bytes there are, and how many of them each source has. Thread-safe.</summary>
internal sealed class DirectoryShares
{
    private readonly Lock _gate = new();
    private readonly Dictionary<ulong, (int Count, long Bytes)> _ofSources = [];
    private int _count;
    private long _bytes;

    /// <summary>How many registrations there are.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _count;
            }
        }
    }

    /// <summary>How many bytes they take.</summary>
    public long Bytes
    {
        get
        {
            lock (_gate)
            {
                return _bytes;
            }
        }
    }

    /// <summary>How many sources have something.</summary>
    public int Sources
    {
        get
        {
            lock (_gate)
            {
                return _ofSources.Count;
            }
        }
    }

    /// <summary>What a source has.</summary>
    /// <param name="share">The hash of the source.</param>
    public (int Count, long Bytes) this[ulong share]
    {
        get
        {
            lock (_gate)
            {
                return _ofSources.GetValueOrDefault(share);
            }
        }
    }

    /// <summary>A source has more, or less.</summary>
    /// <param name="share">The hash of the source.</param>
    /// <param name="count">How many registrations more.</param>
    /// <param name="bytes">How many bytes more.</param>
    public void Add(ulong share, int count, long bytes)
    {
        lock (_gate)
        {
            ref (int Count, long Bytes) held = ref CollectionsMarshal.GetValueRefOrAddDefault(_ofSources, share, out _);
            held.Count += count;
            held.Bytes += bytes;
            _count += count;
            _bytes += bytes;
            if (held.Count == 0 && held.Bytes == 0)
            {
                _ofSources.Remove(share);
            }
        }
    }
}
