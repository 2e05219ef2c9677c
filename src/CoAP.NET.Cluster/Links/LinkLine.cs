namespace CoAP.NET.Cluster;

/// <summary>The queue of one path of another node. The caller locks.</summary>
internal sealed class LinkLine(string path)
{
    private readonly Queue<LinkBatch> _full = new();
    private LinkBatch? _open;
    private LinkBatch? _spare;

    /// <summary>The path.</summary>
    public string Path { get; } = path;

    /// <summary>The number of waiting bytes.</summary>
    public int Waiting { get; private set; }

    /// <summary>Whether a task sends them.</summary>
    public bool IsSending { get; set; }

    /// <summary>
    /// The time since which the other node has not acknowledged a batch, as a timestamp of the clock; null if none is pending.
    /// </summary>
    public long? SentAt { get; set; }

    public void Add(ReadOnlySpan<byte> item)
    {
        if (_open is { } open && !open.HasRoomFor(item.Length))
        {
            _full.Enqueue(open);
            _open = null;
        }

        if (_open is null)
        {
            _open = _spare ?? new LinkBatch();
            _spare = null;
        }

        int before = _open.Length;
        _open.Add(item);
        Waiting += _open.Length - before;
    }

    /// <summary>Takes the oldest batch; null if there is none.</summary>
    public LinkBatch? Take()
    {
        if (!_full.TryDequeue(out LinkBatch? batch))
        {
            (batch, _open) = (_open, null);
        }

        Waiting -= batch?.Length ?? 0;
        return batch;
    }

    /// <summary>Reuses a sent batch whose bytes are no longer read.</summary>
    public void Reuse(LinkBatch batch)
    {
        batch.Clear();
        _spare ??= batch;
    }

    /// <summary>Drops the waiting items.</summary>
    /// <returns>Their number.</returns>
    public int Clear()
    {
        int items = 0;
        while (Take() is { } batch)
        {
            items += batch.Count;
        }

        return items;
    }
}
