namespace CoAP.NET.ResourceDirectory;

/// <summary>
/// What has changed of what can be found since somebody looked last. Of very many changes it is only said that there were some.
/// Thread-safe.
/// </summary>
internal sealed class DirectoryChanges
{
    private const int MaxKept = 64;

    private readonly Lock _gate = new();
    private List<DirectoryChange> _changes = [];
    private bool _areMore;

    /// <summary>A registration came, is another one now, or has gone.</summary>
    /// <param name="before">What it was; null for nothing.</param>
    /// <param name="after">What it is; null for nothing.</param>
    public void Note(Registration? before, Registration? after)
    {
        if ((before is null && after is null)
            || (before is { } old && after is { } current && old.Found.SequenceEqual(current.Found)))
        {
            return;
        }

        lock (_gate)
        {
            if (_changes.Count < MaxKept)
            {
                _changes.Add(new DirectoryChange(before, after));
            }
            else
            {
                _areMore = true;
            }
        }
    }

    /// <summary>Takes what was noted.</summary>
    /// <param name="areMore">Whether there were more, so that anything may have changed.</param>
    public IReadOnlyList<DirectoryChange> Take(out bool areMore)
    {
        lock (_gate)
        {
            areMore = _areMore;
            _areMore = false;
            if (_changes.Count == 0)
            {
                return [];
            }

            List<DirectoryChange> taken = _changes;
            _changes = [];
            return taken;
        }
    }
}
