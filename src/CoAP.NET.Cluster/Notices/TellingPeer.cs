namespace CoAP.NET.Cluster;

/// <summary>The observed resources of another node, and the changes to send to it. The caller locks.</summary>
internal sealed class TellingPeer
{
    /// <summary>The maximum number of waiting names for a node; above it the node learns that it missed some, and asks which.</summary>
    public const int MaxWaiting = 65_536;

    /// <summary>The maximum number of known names of a node; a node with more gets all changes.</summary>
    public const int MaxObserved = 1_000_000;

    private readonly HashSet<ulong> _observed = [];
    private readonly HashSet<string> _waiting = new(StringComparer.Ordinal);
    private bool _observesMore;
    private bool _hasGap;
    private bool _isNew = true;

    // This node may know less of the other one than it has reported: a node that is missing from the map for a while, for example while the
    // store is unavailable, is forgotten. Numbers alone do not show that before the first change.
    private bool _isUnheard = true;

    /// <summary>The number up to which the node knows all changes of its observed resources.</summary>
    public long Known { get; private set; }

    /// <summary>Whether a message is pending.</summary>
    public bool IsTelling { get; set; }

    /// <summary>The number of waiting names.</summary>
    public int Waiting => _waiting.Count;

    /// <summary>Whether there is something to send.</summary>
    public bool HasWork(ChangeMemory memory) =>
        _waiting.Count > 0 || _hasGap || _isNew || memory.Number - Known > memory.Lag;

    /// <summary>Starts a new link: the node gets the number, which shows whether it missed changes.</summary>
    public void Greet() => _isNew = true;

    /// <summary>Records the change of a name.</summary>
    /// <returns>Whether to send it to the node.</returns>
    public bool Add(string name, ulong hash)
    {
        if (!_observesMore && !_observed.Contains(hash))
        {
            return false;
        }

        Wait(name);
        return true;
    }

    /// <summary>Starts a full report of the node's observed resources.</summary>
    public void Forget()
    {
        _observed.Clear();
        _observesMore = false;
        _isUnheard = false;
    }

    /// <summary>Records an observed resource of the node.</summary>
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

    /// <summary>Takes the names to send.</summary>
    /// <param name="from">The number before them; a gap if changes are missing.</param>
    public string[] Take(out long from)
    {
        string[] names = [.. _waiting.Where(NoticeMessages.CanTell)];
        _hasGap |= names.Length < _waiting.Count;
        from = _hasGap || _isUnheard ? NoticeMessages.Gap : Known;
        _waiting.Clear();
        _hasGap = _isNew = false;
        return names;
    }

    /// <summary>Records a successful message.</summary>
    public void Told(long number)
    {
        Known = number;
        _isUnheard = false;
    }

    /// <summary>Returns names whose message failed or may have failed: they are sent again.</summary>
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
