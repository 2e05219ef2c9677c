namespace CoAP.NET.Cluster;

/// <summary>What waits for one path of another node, in order. Its caller locks.</summary>
internal sealed class LinkLine(string path)
{
    private readonly Queue<LinkBatch> _full = new();
    private LinkBatch? _open;
    private LinkBatch? _spare;

    /// <summary>The path.</summary>
    public string Path { get; } = path;

    /// <summary>How many bytes wait.</summary>
    public int Waiting { get; private set; }

    /// <summary>Whether somebody sends them.</summary>
    public bool IsSending { get; set; }

    /// <summary>Since when the other node has not said that it took a batch, as a timestamp of the clock; null when none is on its way.
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

    /// <summary>Takes the oldest batch; null when there is none.</summary>
    public LinkBatch? Take()
    {
        if (!_full.TryDequeue(out LinkBatch? batch))
        {
            (batch, _open) = (_open, null);
        }

        Waiting -= batch?.Length ?? 0;
        return batch;
    }

    /// <summary>A batch was sent whose bytes nobody reads any more.</summary>
    public void Reuse(LinkBatch batch)
    {
        batch.Clear();
        _spare ??= batch;
    }

    /// <summary>Drops what waits.</summary>
    /// <returns>How many items that was.</returns>
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
