using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Index;

/// <summary>
/// Collects the changes of visible registrations until they are taken. Beyond a limit it only notes that there were more. Thread-safe.
/// </summary>
internal sealed class DirectoryChangeQueue
{
    private const int MaxKept = 64;

    private readonly Lock _gate = new();
    private List<DirectoryChange> _changes = [];
    private bool _areMore;

    /// <summary>Adds a new, changed or removed registration.</summary>
    /// <param name="before">The registration before; null for none.</param>
    /// <param name="after">The registration after; null for none.</param>
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

    /// <summary>Takes the collected changes.</summary>
    /// <param name="areMore">Whether there were more changes, so that any registration may have changed.</param>
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
