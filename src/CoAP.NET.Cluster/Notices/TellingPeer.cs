namespace CoAP.NET.Cluster;

/// <summary>What another node observes, and which changes it is to be told. Its caller locks.</summary>
internal sealed class TellingPeer
{
    /// <summary>How many names may wait for a node; then it is told that it missed some, and asks which.</summary>
    public const int MaxWaiting = 65_536;

    /// <summary>How many names of a node are known; one that observes more is told of all changes.</summary>
    public const int MaxObserved = 1_000_000;

    private readonly HashSet<ulong> _observed = [];
    private readonly HashSet<string> _waiting = new(StringComparer.Ordinal);
    private bool _observesMore;
    private bool _hasGap;
    private bool _isNew = true;

    // What is known here of the node may be less than it has told: a node that is not in the map for a while, as when the store is away, is
    // forgotten. Numbers alone do not show that before the first change.
    private bool _isUnheard = true;

    /// <summary>Up to which number the node knows all changes of what it observes.</summary>
    public long Known { get; private set; }

    /// <summary>Whether a message is under way.</summary>
    public bool IsTelling { get; set; }

    /// <summary>How many names wait.</summary>
    public int Waiting => _waiting.Count;

    /// <summary>Whether there is something to tell.</summary>
    public bool HasWork(ChangeMemory memory) =>
        _waiting.Count > 0 || _hasGap || _isNew || memory.Number - Known > memory.Lag;

    /// <summary>There is a new link: the node is told the number, by which it sees whether it missed something.</summary>
    public void Greet() => _isNew = true;

    /// <summary>A name has changed.</summary>
    /// <returns>Whether the node is to be told.</returns>
    public bool Add(string name, ulong hash)
    {
        if (!_observesMore && !_observed.Contains(hash))
        {
            return false;
        }

        Wait(name);
        return true;
    }

    /// <summary>The node says from the beginning what it observes.</summary>
    public void Forget()
    {
        _observed.Clear();
        _observesMore = false;
        _isUnheard = false;
    }

    /// <summary>The node says what it observes.</summary>
    public void Observe(ulong hash, bool isObserved)
    {
        if (!isObserved)
        {
            _observed.Remove(hash);
        }
        else if (_observed.Count < MaxObserved)
        {
            _observed.Add(hash);
        }
        else
        {
            _observesMore = true;
        }
    }

    /// <summary>Takes what is to be told.</summary>
    /// <param name="from">The number before it; a gap where something is missing.</param>
    public string[] Take(out long from)
    {
        string[] names = [.. _waiting.Where(NoticeMessages.CanTell)];
        _hasGap |= names.Length < _waiting.Count;
        from = _hasGap || _isUnheard ? NoticeMessages.Gap : Known;
        _waiting.Clear();
        _hasGap = _isNew = false;
        return names;
    }

    /// <summary>It was told.</summary>
    public void Told(long number)
    {
        Known = number;
        _isUnheard = false;
    }

    /// <summary>It could not be told, or perhaps was: it is told again.</summary>
    public void GiveBack(string[] names, long from)
    {
        _hasGap |= from == NoticeMessages.Gap;
        foreach (string name in names)
        {
            Wait(name);
        }

        _isNew = true;
    }

    private void Wait(string name)
    {
        if (_waiting.Count >= MaxWaiting && !_waiting.Contains(name))
        {
            _waiting.Clear();
            _hasGap = true;
        }

        _waiting.Add(name);
    }
}
