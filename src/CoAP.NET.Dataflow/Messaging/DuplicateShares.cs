using System.Runtime.InteropServices;
using CoAP.NET.Transports;

namespace CoAP.NET.Messaging;

/// <summary>
/// How much of the duplicate memory each source takes for what must not run again, and so is not forgotten for whatever comes: one source,
/// by however many addresses and ports, neither has the requests of others forgotten nor takes their room. What may run again does not
/// count: it gives way to anything. Guarded by the shard's lock.
/// </summary>
/// <param name="rule">Which peers count as one.</param>
/// <param name="share">Which part one source may take; with 1 it may take everything.</param>
internal sealed class DuplicateShares(CoapSourceRule rule, double share)
{
    // A source that takes no more than this part is not asked to leave as much to others.
    private const int PartForAnybody = 64;

    // A table that many sources made large becomes small again.
    private const int LeastToTrim = 1024;

    private readonly Dictionary<CoapSource, Share> _shares = [];

    /// <summary>How many sources there are.</summary>
    public int Count => _shares.Count;

    /// <summary>Whether the source of a peer may take some bytes more: within its share, and no more than it leaves to others.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="needed">How many bytes more.</param>
    /// <param name="all">How much there is for all.</param>
    /// <param name="taken">How much of it is taken by what must not run again.</param>
    /// <param name="least">What one source may take in any case: room for one reply.</param>
    public bool Fits(CoapChannel peer, int needed, long all, long taken, int least)
    {
        if (share >= 1)
        {
            return true;
        }

        long held = needed + ((peer.Messaging.Share ?? _shares.GetValueOrDefault(rule.Of(peer.Remote, peer.Identity)))?.Bytes ?? 0);
        return held <= Math.Max(all / PartForAnybody, least) || (held <= all * share && held <= all - needed - taken);
    }

    /// <summary>Counts a peer, until <see cref="Leave"/>.</summary>
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

    /// <summary>Counts a peer no more.</summary>
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

    /// <summary>What one source takes.</summary>
    /// <param name="source">The source.</param>
    internal sealed class Share(in CoapSource source)
    {
        public CoapSource Source { get; } = source;

        public int Peers { get; set; }

        public long Bytes { get; set; }
    }
}
