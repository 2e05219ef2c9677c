using CoAP.NET.Guarding;

namespace CoAP.NET.ResourceDirectory;

/// <summary>
/// Places of look-ups that are observed: so many in all and for each source, and none gets more than half of what is free. When there is no
/// room, the source that has most gives way to those that have less. Forged addresses are sources without end: those that have not shown
/// that they receive there have half of all places together, and nobody gives way to them. Its caller locks.
/// </summary>
/// <param name="most">How many there are.</param>
/// <param name="mostOfSource">How many a source may have.</param>
internal sealed class WatchPlaces(int most, int mostOfSource)
{
    private readonly SourceLedger<DirectoryWatch> _ledger = new();
    private int _unverified;

    /// <summary>Takes a place if there is one; pairs with <see cref="Return"/>.</summary>
    /// <param name="watch">For which look-up.</param>
    /// <param name="givesWay">The look-up that has lost its place to it; null for none.</param>
    /// <returns>Whether there was one.</returns>
    public bool TryTake(DirectoryWatch watch, out DirectoryWatch? givesWay)
    {
        givesWay = null;
        long held = _ledger.Find(watch.Source)?.Amount ?? 0;
        long free = most - _ledger.Total;
        if (held >= mostOfSource || (!watch.IsVerified && _unverified >= most / 2))
        {
            return false;
        }

        if (free <= 0 || held >= Math.Max(1, (free + held) / 2))
        {
            // Two that have as much as each other never displace one another in turns.
            if (!watch.IsVerified || _ledger.Greediest is not { First: { } first } greediest || held + 1 >= greediest.Amount)
            {
                return false;
            }

            givesWay = first.Owner;
            Return(givesWay);
        }

        _ledger.Set(watch.Holding, 1);
        _unverified += watch.IsVerified ? 0 : 1;
        return true;
    }

    /// <summary>Somebody has registered for a look-up: of those of its source it gives way last.</summary>
    /// <param name="watch">The look-up.</param>
    public static void Touch(DirectoryWatch watch) => SourceLedger<DirectoryWatch>.Touch(watch.Holding);

    /// <summary>Gives a place back.</summary>
    /// <param name="watch">The look-up that had it.</param>
    public void Return(DirectoryWatch watch)
    {
        _ledger.Set(watch.Holding, 0);
        _unverified -= watch.IsVerified ? 0 : 1;
    }
}
