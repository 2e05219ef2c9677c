namespace CoAP.NET.Messaging;

/// <summary>Whose memory a <see cref="ReplyQueue"/> takes, and what may evict its entries.</summary>
internal enum ReplyQueueKind : byte
{
    /// <summary>The memory of newcomers; only their own entries evict each other.</summary>
    Newcomers,

    /// <summary>The part of the duplicate memory that all peers with unverified addresses share.</summary>
    Unverified,

    /// <summary>The duplicate memory; evicted if it is full.</summary>
    Verified,

    /// <summary>The duplicate memory; never evicted before the end of their lifetime.</summary>
    Protected,
}

/// <summary>
/// Finished exchanges that are evicted in the same turn, in order of completion: the last segment takes the next one, and the first is
/// dropped.
/// </summary>
/// <param name="kind">Whose memory it takes.</param>
/// <param name="maxBytes">The size from which the newest entries replace the oldest, in bytes; none by default.</param>
internal sealed class ReplyQueue(ReplyQueueKind kind, long maxBytes = long.MaxValue)
{
    private readonly Queue<ReplySegment> _segments = new();

    public ReplyQueueKind Kind => kind;

    public long MaxBytes => maxBytes;

    /// <summary>The memory of its segments in bytes.</summary>
    public long Bytes { get; private set; }

    /// <summary>The oldest segment; null if it is empty.</summary>
    public ReplySegment? First => _segments.TryPeek(out ReplySegment? first) ? first : null;

    /// <summary>The segment for the next entry; null if it is empty.</summary>
    public ReplySegment? Last { get; private set; }

    /// <summary>Appends an empty segment.</summary>
    public void AddSegment(ReplySegment segment)
    {
        _segments.Enqueue(segment);
        Last = segment;
        Bytes += segment.Size;
    }

    /// <summary>Removes the oldest segment of a queue that is not empty.</summary>
    public ReplySegment RemoveFirst()
    {
        ReplySegment first = _segments.Dequeue();
        Last = _segments.Count == 0 ? null : Last;
        Bytes -= first.Size;
        return first;
    }
}
