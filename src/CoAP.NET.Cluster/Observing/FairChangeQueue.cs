using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Guarding;

namespace CoAP.NET.Cluster.Observing;

/// <summary>
/// The waiting changes of each source: the sources take turns, and the one with the most changes loses its oldest. Not thread-safe:
/// <see cref="ObserverRecordWriteQueue"/> holds its lock.
/// </summary>
internal sealed class FairChangeQueue
{
    private readonly SourceUsage<ObserverRecordWriteQueue.Change> _ledger = new();

    // The sources with changes, in the order of their turns.
    private readonly LinkedList<CoapQuotaSource> _turns = new();
    private readonly Dictionary<CoapQuotaSource, LinkedListNode<CoapQuotaSource>> _turnOf = [];

    public void Add(ObserverRecordWriteQueue.Change change)
    {
        CoapQuotaSource source = change.UsageEntry.Key;
        if (!_turnOf.ContainsKey(source))
        {
            _turnOf.Add(source, _turns.AddLast(source));
        }

        _ledger.Set(change.UsageEntry, 1);
    }

    public void Remove(ObserverRecordWriteQueue.Change change)
    {
        _ledger.Set(change.UsageEntry, 0);
        CoapQuotaSource source = change.UsageEntry.Key;
        if (_ledger.Find(source) is null && _turnOf.Remove(source, out LinkedListNode<CoapQuotaSource>? turn))
        {
            _turns.Remove(turn);
        }
    }

    /// <summary>Returns the oldest change of the source with the most. There must be one.</summary>
    public ObserverRecordWriteQueue.Change OldestOfGreediest() => _ledger.Greediest!.First!.Owner;

    /// <summary>Returns the oldest change of the source whose turn it is; false if there is none.</summary>
    public bool TryNext([NotNullWhen(true)] out ObserverRecordWriteQueue.Change? change)
    {
        change = null;
        if (_turns.First is not { } turn)
        {
            return false;
        }

        _turns.RemoveFirst();
        _turns.AddLast(turn);
        change = _ledger.Find(turn.Value)!.First!.Owner;
        return true;
    }
}
