namespace CoAP.NET.Cluster;

/// <summary>How far this node has heard of the changes of another one, and what that is to be told of what is observed here. Its caller
/// locks.</summary>
internal sealed class HearingPeer
{
    // More is told from the beginning, which is shorter than one by one.
    private const int MaxWaiting = 65_536;

    private readonly Dictionary<string, long> _waiting = new(StringComparer.Ordinal);
    private long _missing;
    private bool _isWhole;

    /// <summary>Up to which number all changes were heard of what the other node knows to be observed here.</summary>
    public long Heard { get; private set; }

    /// <summary>Whether a message is under way.</summary>
    public bool IsAsking { get; set; }

    /// <summary>Whether there is something to tell.</summary>
    public bool HasWork => !_isWhole || _waiting.Count > 0;

    /// <summary>Changes came.</summary>
    public void Hear(long from, long to)
    {
        if (from != Heard)
        {
            Miss(Heard);
        }

        Heard = to;
    }

    /// <summary>Observing something began here, or ended.</summary>
    public void Add(string name, bool isObserved)
    {
        if (!_isWhole)
        {
            // It is among all that will be told; what came before it is missing anyhow.
            return;
        }

        _waiting[name] = isObserved ? Heard : NoticeMessages.NotObserved;
        if (_waiting.Count > MaxWaiting)
        {
            Miss(_waiting.Values.Where(static since => since >= 0).DefaultIfEmpty(Heard).Min());
        }
    }

    /// <summary>Takes what is to be told.</summary>
    /// <param name="all">All that is observed here.</param>
    /// <param name="isFromTheBeginning">Whether it is all.</param>
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

    /// <summary>It could not be told, or perhaps was: everything is told again.</summary>
    public void GiveBack((string Name, long Since)[] taken)
    {
        long since = Heard;
        foreach ((_, long each) in taken)
        {
            since = each >= 0 && each < since ? each : since;
        }

        Miss(since);
    }

    // From here on everything is told from the beginning, as changes after that number may be missing.
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
