using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Cluster;

/// <summary>
/// Which changes wait of which source: the sources take turns, and the one that has most is found at once. Not thread-safe:
/// <see cref="ObserverQueue"/> holds its lock.
/// </summary>
internal sealed class SourceShares
{
    private readonly Dictionary<CoapSource, Share> _bySource = [];

    // Those that have something, in the order of their turns.
    private readonly LinkedList<Share> _turns = new();

    // By how much they have.
    private readonly List<LinkedList<Share>> _bySize = [new()];

    public void Add(CoapSource source, ObserverQueue.Change change)
    {
        if (!_bySource.TryGetValue(source, out Share? share))
        {
            share = new Share(source);
            _bySource.Add(source, share);
            share.Turn = _turns.AddLast(share);
            share.Size = _bySize[0].AddLast(share);
        }

        change.Share = share;
        change.Place = share.Changes.AddLast(change);
        Move(share, share.Changes.Count - 1);
    }

    public void Remove(ObserverQueue.Change change)
    {
        Share share = change.Share!;
        share.Changes.Remove(change.Place!);
        if (share.Changes.Count > 0)
        {
            Move(share, share.Changes.Count + 1);
            return;
        }

        _bySource.Remove(share.Source);
        _turns.Remove(share.Turn!);
        _bySize[1].Remove(share.Size!);
        Shrink();
    }

    /// <summary>The oldest change of the source that has most.</summary>
    public ObserverQueue.Change OldestOfGreediest() => _bySize[^1].First!.Value.Changes.First!.Value;

    /// <summary>The oldest change of the source whose turn it is; false when there is none.</summary>
    public bool TryNext([NotNullWhen(true)] out ObserverQueue.Change? change)
    {
        change = null;
        if (_turns.First is not { } turn)
        {
            return false;
        }

        _turns.RemoveFirst();
        _turns.AddLast(turn);
        change = turn.Value.Changes.First!.Value;
        return true;
    }

    private void Move(Share share, int before)
    {
        int size = share.Changes.Count;
        while (_bySize.Count <= size)
        {
            _bySize.Add(new LinkedList<Share>());
        }

        _bySize[before].Remove(share.Size!);
        _bySize[size].AddLast(share.Size!);
        Shrink();
    }

    private void Shrink()
    {
        while (_bySize.Count > 1 && _bySize[^1].Count == 0)
        {
            _bySize.RemoveAt(_bySize.Count - 1);
        }
    }

    /// <summary>What a source has.</summary>
    /// <param name="source">The source.</param>
    internal sealed class Share(CoapSource source)
    {
        public CoapSource Source => source;

        /// <summary>Its changes, the oldest first.</summary>
        public LinkedList<ObserverQueue.Change> Changes { get; } = new();

        public LinkedListNode<Share>? Turn { get; set; }

        public LinkedListNode<Share>? Size { get; set; }
    }
}
