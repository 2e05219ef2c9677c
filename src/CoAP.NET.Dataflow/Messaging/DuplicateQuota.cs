namespace CoAP.NET.Messaging;

/// <summary>
/// The bytes that each source has in the duplicate memory, for entries that are kept for their lifetime. One source, with any number of
/// addresses and ports, neither evicts the entries of others nor takes their room (<see cref="FairShare"/>). An entry keeps the number of
/// its source, 4 bytes, where a <see cref="CoapQuotaSource"/> has 40. Guarded by the shard's lock.
/// </summary>
/// <param name="rule">Maps peers to sources.</param>
/// <param name="share">The fraction that one source may take; 1 for everything.</param>
internal sealed class DuplicateQuota(CoapSourceGroupingRule rule, double share)
{
    // A source may always have this fraction.
    private const int AnySourceDivisor = 64;

    // A table that many sources enlarged shrinks again.
    private const int LeastToTrim = 1024;

    private readonly Dictionary<CoapQuotaSource, int> _numbers = [];
    private readonly IndexedPool<SourceBytes> _shares = new();

    /// <summary>The number of sources.</summary>
    public int Count => _numbers.Count;

    /// <summary>Takes bytes for the source of a peer, within its share.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="needed">The bytes.</param>
    /// <param name="all">The total of all sources.</param>
    /// <param name="taken">The bytes of entries that are not evicted for others.</param>
    /// <param name="least">The minimum for one source: room for one reply.</param>
    /// <returns>The number of the share, for <see cref="Change"/>; 0 when it is refused.</returns>
    public int Take(CoapChannel peer, int needed, long all, long taken, int least)
    {
        CoapQuotaSource source = rule.Of(peer.Remote, peer.PeerId);
        int number = _numbers.GetValueOrDefault(source);
        long held = needed + (number == 0 ? 0 : _shares[(ulong)number]!.Bytes);
        if (share < 1 && held > Math.Max(all / AnySourceDivisor, least)
            && (held > all * share || !FairShare.HasRoom(held, all - taken, all, least: 0)))
        {
            return 0;
        }

        if (number == 0)
        {
            number = (int)_shares.Add(new SourceBytes(source));
            _numbers.Add(source, number);
        }

        Change(number, needed);
        return number;
    }

    /// <summary>Changes the bytes of a source. One without any is forgotten.</summary>
    public void Change(int number, int bytes)
    {
        if (number == 0)
        {
            return;
        }

        SourceBytes entry = _shares[(ulong)number]!;
        entry.Bytes += bytes;
        if (entry.Bytes == 0)
        {
            _shares.Remove((ulong)number);
            _numbers.Remove(entry.Source);
            if (_numbers.Capacity > LeastToTrim && _numbers.Count < _numbers.Capacity / 8)
            {
                _numbers.TrimExcess(2 * _numbers.Count);
            }
        }
    }

    private sealed class SourceBytes(in CoapQuotaSource source)
    {
        public CoapQuotaSource Source { get; } = source;

        public long Bytes { get; set; }
    }
}
