using CoAP.NET.Guarding;

namespace CoAP.NET.Dtls.Keeping;

/// <summary>
/// Holds items for sessions that wait for their record numbers, in the order of each session. When full, it drops the oldest item of the
/// source that holds most. Thread-safe; runs no callbacks under its lock.
/// </summary>
/// <param name="maxBytes">Maximum memory of all items, in bytes.</param>
internal sealed class EarlyItems(int maxBytes)
{
    /// <summary>Maximum number of items per session; one more drops the oldest.</summary>
    public const int MaxOfSession = 4;

    private readonly Lock _gate = new();
    private readonly SourceLedger<EarlyItem> _bySource = new();
    private readonly Dictionary<KeptDtlsSession, List<EarlyItem>> _bySession = [];
    private int _count;

    /// <summary>Number of held items.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _count;
            }
        }
    }

    /// <summary>Adds an item.</summary>
    /// <param name="item">The item.</param>
    /// <returns>The number of items that it dropped.</returns>
    public int Add(EarlyItem item)
    {
        lock (_gate)
        {
            int before = _count;
            if (_bySession.TryGetValue(item.Session, out List<EarlyItem>? ofSession) && ofSession.Count == MaxOfSession)
            {
                Drop(ofSession[0]);
            }

            while (_bySource.Total + item.Cost > maxBytes && _bySource.Greediest is { } greediest)
            {
                // If a source would hold most with the new item, it makes room itself.
                SourceLedger<EarlyItem>.Source giving =
                    _bySource.Find(item.Holding.Key) is { } own && own.Amount + item.Cost > greediest.Amount ? own : greediest;
                Drop(giving.First!.Owner);
            }

            if (!_bySession.TryGetValue(item.Session, out ofSession))
            {
                _bySession.Add(item.Session, ofSession = new List<EarlyItem>(1));
            }

            ofSession.Add(item);
            _bySource.Set(item.Holding, item.Cost);
            return before - _count++;
        }
    }

    /// <summary>Removes and returns all items of a session, in the order in which they came.</summary>
    /// <param name="session">The session.</param>
    public IReadOnlyList<EarlyItem> Take(KeptDtlsSession session)
    {
        lock (_gate)
        {
            if (!_bySession.Remove(session, out List<EarlyItem>? taken))
            {
                return [];
            }

            foreach (EarlyItem item in taken)
            {
                _bySource.Set(item.Holding, 0);
            }

            _count -= taken.Count;
            if (_bySession.Count == 0)
            {
                // The dictionary may have been very large.
                _bySession.TrimExcess();
            }

            return taken;
        }
    }

    private void Drop(EarlyItem item)
    {
        List<EarlyItem> ofSession = _bySession[item.Session];
        ofSession.Remove(item);
        if (ofSession.Count == 0)
        {
            _bySession.Remove(item.Session);
        }

        _bySource.Set(item.Holding, 0);
        _count--;
    }
}
