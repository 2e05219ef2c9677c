using CoAP.NET.Guarding;

namespace CoAP.NET.ResourceDirectory.Observing;

/// <summary>
/// Places for observed lookups, limited in total and per source (<see cref="FairShare"/>). Beyond its share a source gets a place of the
/// source with the most, if the rule of fairness allows it. Attackers can forge any number of addresses: unverified sources share half of
/// all places, and evict no other lookup. The caller locks.
/// </summary>
/// <param name="most">The total number of places.</param>
/// <param name="mostOfSource">The maximum number of places of a source.</param>
internal sealed class ObservedLookupLimiter(int most, int mostOfSource)
{
    private readonly SourceUsage<ObservedLookup> _ledger = new();
    private int _unverified;

    /// <summary>Takes a free place; pairs with <see cref="Return"/>.</summary>
    /// <param name="watch">The lookup.</param>
    /// <param name="evicted">The lookup that lost its place; null for none.</param>
    /// <returns>Whether a place was free.</returns>
    public bool TryTake(ObservedLookup watch, out ObservedLookup? evicted)
    {
        evicted = null;
        long held = _ledger.AmountOf(watch.Source);
        long free = most - _ledger.Total;
        if (held >= mostOfSource || (!watch.IsVerified && _unverified >= most / 2))
        {
            return false;
        }

        if (free <= 0 || !FairShare.HasRoom(held + 1, free, most))
        {
            if (!watch.IsVerified || _ledger.FindToGiveWay(watch.Source) is not { First: { } first })
            {
                return false;
            }

            evicted = first.Owner;
            Return(evicted);
        }

        _ledger.Set(watch.UsageEntry, 1);
        _unverified += watch.IsVerified ? 0 : 1;
        return true;
    }

    /// <summary>Records a new observer of a lookup, which is evicted last among those of its source.</summary>
    public static void Touch(ObservedLookup watch) => SourceUsage<ObservedLookup>.Touch(watch.UsageEntry);

    /// <summary>Returns a place.</summary>
    public void Return(ObservedLookup watch)
    {
        _ledger.Set(watch.UsageEntry, 0);
        _unverified -= watch.IsVerified ? 0 : 1;
    }
}
