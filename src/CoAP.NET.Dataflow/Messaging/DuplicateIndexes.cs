using System.Buffers;

namespace CoAP.NET.Messaging;

/// <summary>
/// The peers of a shard in the duplicate memory, by small numbers that its entries contain, and the bytes of their indexes. The index
/// itself is in the channel of the peer. Guarded by the shard's lock.
/// </summary>
/// <param name="shares">The shares of the sources.</param>
internal sealed class DuplicateIndexes(DuplicateShares shares)
{
    private const int KeptNumbers = 1024;

    private CoapChannel?[] _peers = new CoapChannel?[16];
    private int[] _freeNumbers = new int[16];
    private int _freeCount;
    private int _numbers;

    /// <summary>The number of peers with entries in their index.</summary>
    public int Peers => _numbers - _freeCount;

    /// <summary>The bytes of the indexes.</summary>
    public long Bytes { get; private set; }

    /// <summary>The bytes of the indexes of unverified peers, or of peers beyond the share of their source.</summary>
    public long UnverifiedBytes { get; private set; }

    /// <summary>Adds a peer to the table, because its index gets an entry.</summary>
    public void Register(CoapChannel peer)
    {
        int number = _freeCount > 0 ? _freeNumbers[--_freeCount] : _numbers++;
        if (number == _peers.Length)
        {
            Array.Resize(ref _peers, number * 2);
        }

        _peers[number] = peer;
        peer.Messaging.Number = number;
    }

    /// <summary>Removes a peer from the table, with its index.</summary>
    public void Unregister(CoapChannel peer)
    {
        if (peer.Messaging.Number < 0)
        {
            return;
        }

        int before = peer.Messaging.Index.Bytes;
        peer.Messaging.Index = default;
        Charge(peer, before);
        peer.Messaging.Bytes = 0;
        peer.Messaging.Keep(-peer.Messaging.Lasting);
        if (peer.Messaging.Reserved == 0)
        {
            shares.Leave(peer);
        }

        _peers[peer.Messaging.Number] = null;
        if (_freeCount == _freeNumbers.Length)
        {
            Array.Resize(ref _freeNumbers, _freeCount * 2);
        }

        _freeNumbers[_freeCount++] = peer.Messaging.Number;
        peer.Messaging.Number = -1;
        if (_freeCount == _numbers)
        {
            // The table is empty: numbers start again, and excess memory is freed.
            _freeCount = _numbers = 0;
            if (_peers.Length > KeptNumbers)
            {
                _peers = new CoapChannel?[KeptNumbers];
                _freeNumbers = new int[KeptNumbers];
            }
        }
    }

    /// <summary>Doubles the index of a peer.</summary>
    public void Grow(CoapChannel peer)
    {
        int before = peer.Messaging.Index.Bytes;
        peer.Messaging.Index.Grow();
        Charge(peer, before);
    }

    /// <summary>Rebuilds the index of a peer from some of its entries.</summary>
    public void Rebuild(CoapChannel peer, ReadOnlySpan<ulong> kept)
    {
        int before = peer.Messaging.Index.Bytes;
        peer.Messaging.Index.Rebuild(kept, spare: 1);
        Charge(peer, before);
    }

    /// <summary>Prefetches the channels of the next log entries to hide cache misses.</summary>
    /// <param name="log">The log; its oldest segment is read.</param>
    /// <param name="offset">See <see cref="ReplyLog.TryReadHead"/>; the offset after those entries.</param>
    /// <returns>The number of entries.</returns>
    public int FetchOwners(ReplyLog log, ref int offset)
    {
        const int most = 32;
        Span<int> owners = stackalloc int[most];
        int count = 0;
        while (count < most && log.TryReadHead(ref offset, out ReplyHeader header, out _))
        {
            if ((uint)header.Owner < (uint)_peers.Length)
            {
                CacheLines.Fetch(ref _peers[header.Owner]);
            }

            owners[count++] = header.Owner;
        }

        foreach (int owner in owners[..count])
        {
            if ((uint)owner < (uint)_peers.Length && _peers[owner] is { } peer)
            {
                CacheLines.FetchObject(peer, CoapChannel.OftenTouched);
            }
        }

        return count;
    }

    /// <summary>Returns the peer whose index refers to a finished exchange; null when none does any more.</summary>
    public CoapChannel? OwnerOf(in ReplyHeader header, ulong place) =>
        // Another peer may have the number by now; the place decides.
        (uint)header.Owner < (uint)_peers.Length && _peers[header.Owner] is { } peer
            && peer.Messaging.Index.Find(header.MessageId) == place
                ? peer
                : null;

    /// <summary>
    /// Removes a finished exchange from the index of its peer, if the index still refers to it. A peer without entries leaves the table.
    /// </summary>
    public void Remove(in ReplyHeader header, ulong place)
    {
        if (OwnerOf(in header, place) is not { } peer)
        {
            return;
        }

        peer.Messaging.Index.Remove(header.MessageId);
        peer.Messaging.Bytes -= ReplyHeader.EntrySize(header.Length);
        if (DuplicateLogs.Lasts(place))
        {
            peer.Messaging.Keep(-ReplyHeader.EntrySize(header.Length));
        }

        if (peer.Messaging.Index.Count == 0)
        {
            Unregister(peer);
        }
        else if (peer.Messaging.Index.Count * 8 < peer.Messaging.Index.Capacity)
        {
            Shrink(peer);
        }
    }

    private void Shrink(CoapChannel peer)
    {
        ulong[] kept = ArrayPool<ulong>.Shared.Rent(peer.Messaging.Index.Count);
        int count = 0;
        foreach (ulong entry in peer.Messaging.Index.Entries)
        {
            if (entry != 0)
            {
                kept[count++] = entry;
            }
        }

        Rebuild(peer, kept.AsSpan(0, count));
        ArrayPool<ulong>.Shared.Return(kept);
    }

    private void Charge(CoapChannel peer, int before)
    {
        int bytes = peer.Messaging.Index.Bytes;
        bool isUnverified = !peer.IsProtected;
        Bytes += bytes - before;
        UnverifiedBytes += (isUnverified ? bytes : 0) - (peer.Messaging.IsIndexUnverified ? before : 0);
        peer.Messaging.IsIndexUnverified = isUnverified;
    }
}
