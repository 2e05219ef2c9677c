namespace CoAP.NET.Cluster;

/// <summary>The received changes of another node, and the observed resources of this node to report to it. The caller locks.</summary>
internal sealed class HearingPeer
{
    // Above this number a full report is shorter than single ones.
    private const int MaxWaiting = 65_536;

    private readonly Dictionary<string, long> _waiting = new(StringComparer.Ordinal);
    private long _missing;
    private bool _isWhole;

    /// <summary>The number up to which all changes of resources that the other node knows to be observed here have arrived.</summary>
    public long Heard { get; private set; }

    /// <summary>Whether a message is pending.</summary>
    public bool IsAsking { get; set; }

    /// <summary>Whether there is something to report.</summary>
    public bool HasWork => !_isWhole || _waiting.Count > 0;

    /// <summary>Records received changes.</summary>
    public void Hear(long from, long to)
    {
        if (from != Heard)
        {
            Miss(Heard);
        }

        Heard = to;
    }

    /// <summary>Records a started or ended observation.</summary>
    public void Add(string name, bool isObserved)
    {
        if (!_isWhole)
        {
            // The full report includes it; earlier changes are missing anyway.
            return;
        }

        _waiting[name] = isObserved ? Heard : NoticeMessages.NotObserved;
        if (_waiting.Count > MaxWaiting)
        {
            Miss(_waiting.Values.Where(static since => since >= 0).DefaultIfEmpty(Heard).Min());
        }
    }

    /// <summary>Takes the entries to report.</summary>
    /// <param name="all">All observed resources of this node.</param>
    /// <param name="isFromTheBeginning">Whether the report is full.</param>
    public (string Name, long Since)[] Take(IReadOnlyCollection<string> all, out bool isFromTheBeginning)
    {
        isFromTheBeginning = !_isWhole;
        (string, long)[] taken = _isWhole
            ? [.. _waiting.Select(static entry => (entry.Key, entry.Value))]
            : [.. all.Select(name => (name, _missing))];
        _waiting.Clear();
        _isWhole = true;
        return taken;
    }

    /// <summary>Returns entries whose message failed or may have failed: everything is reported again.</summary>
    public void GiveBack((string Name, long Since)[] taken)
    {
        long since = Heard;
        foreach ((_, long each) in taken)
        {
            since = each >= 0 && each < since ? each : since;
        }

        Miss(since);
    }

    // Requires a full report from here on because changes after that number may be missing.
    private void Miss(long since)
    {
        foreach (long each in _waiting.Values)
        {
            since = each >= 0 && each < since ? each : since;
        }

        _missing = _isWhole || since < _missing ? since : _missing;
        _isWhole = false;
        _waiting.Clear();
    }
}
