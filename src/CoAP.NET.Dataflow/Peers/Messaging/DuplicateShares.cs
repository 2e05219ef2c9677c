using System.Runtime.InteropServices;
using CoAP.NET.Transports;

namespace CoAP.NET.Messaging;

/// <summary>
/// The share of each source in the duplicate memory, for entries that must not be processed again and are therefore never evicted early.
/// One source, with any number of addresses and ports, neither evicts the entries of others nor takes their room. Idempotent entries do not
/// count, because they give way to anything. Guarded by the shard's lock.
/// </summary>
/// <param name="rule">Maps peers to sources.</param>
/// <param name="share">The fraction that one source may take; 1 for everything.</param>
internal sealed class DuplicateShares(CoapSourceRule rule, double share)
{
    // A source with no more than this fraction need not leave as much to others.
    private const int PartForAnybody = 64;

    // A table that many sources enlarged shrinks again.
    private const int LeastToTrim = 1024;

    private readonly Dictionary<CoapSource, Share> _shares = [];

    /// <summary>The number of sources.</summary>
    public int Count => _shares.Count;

    /// <summary>Whether the source of a peer may take more bytes: within its share, and no more than it leaves to others.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="needed">The additional bytes.</param>
    /// <param name="all">The total of all sources.</param>
    /// <param name="taken">The bytes of entries that must not be processed again.</param>
    /// <param name="least">The minimum for one source: room for one reply.</param>
    public bool Fits(CoapChannel peer, int needed, long all, long taken, int least)
    {
        if (share >= 1)
        {
            return true;
        }

        long held = needed + ((peer.Messaging.Share ?? _shares.GetValueOrDefault(rule.Of(peer.Remote, peer.Identity)))?.Bytes ?? 0);
        return held <= Math.Max(all / PartForAnybody, least) || (held <= all * share && held <= all - needed - taken);
    }

    /// <summary>Counts a peer until <see cref="Leave"/>.</summary>
    public void Join(CoapChannel peer)
    {
        if (peer.Messaging.Share is not null)
        {
            return;
        }

        CoapSource source = rule.Of(peer.Remote, peer.Identity);
        ref Share? entry = ref CollectionsMarshal.GetValueRefOrAddDefault(_shares, source, out _);
        entry ??= new Share(source);
        entry.Peers++;
        entry.Bytes += peer.Messaging.Reserved;
        peer.Messaging.MakeExtras().Share = entry;
    }

    /// <summary>Stops counting a peer.</summary>
    public void Leave(CoapChannel peer)
    {
        if (peer.Messaging.Share is not { } entry)
        {
            return;
        }

        peer.Messaging.Keep(-peer.Messaging.Lasting);
        entry.Bytes -= peer.Messaging.Reserved;
        peer.Messaging.MakeExtras().Share = null;
        peer.Messaging.TrimExtras();
        if (--entry.Peers == 0)
        {
            _shares.Remove(entry.Source);
            if (_shares.Capacity > LeastToTrim && _shares.Count < _shares.Capacity / 8)
            {
                _shares.TrimExcess(2 * _shares.Count);
            }
        }
    }

    /// <summary>The share of one source.</summary>
    /// <param name="source">The source.</param>
    internal sealed class Share(in CoapSource source)
    {
        public CoapSource Source { get; } = source;

        public int Peers { get; set; }

        public long Bytes { get; set; }
    }
}
