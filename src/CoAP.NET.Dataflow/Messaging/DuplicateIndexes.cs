using System.Buffers;

namespace CoAP.NET.Messaging;

/// <summary>
/// The peers of a shard that have something in the duplicate memory, by small numbers that its entries name, and the bytes of their
/// indexes. The index itself stands in the channel of the peer. Guarded by the shard's lock.
/// </summary>
/// <param name="shares">What each source takes.</param>
internal sealed class DuplicateIndexes(DuplicateShares shares)
{
    private const int KeptNumbers = 1024;

    private CoapChannel?[] _peers = new CoapChannel?[16];
    private int[] _freeNumbers = new int[16];
    private int _freeCount;
    private int _numbers;

    /// <summary>Peers with something in their index.</summary>
    public int Peers => _numbers - _freeCount;

    /// <summary>What the indexes take, in bytes.</summary>
    public long Bytes { get; private set; }

    /// <summary>What those of peers take that were never verified, or are beyond the share of their source.</summary>
    public long UnverifiedBytes { get; private set; }

    /// <summary>Puts a peer into the table, as something comes into its index.</summary>
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

    /// <summary>Takes a peer off the table, with its index.</summary>
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
            // The last one is gone: numbers begin anew, and what many peers needed is given back.
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

    /// <summary>Makes the index of a peer anew, of some of its entries.</summary>
    public void Rebuild(CoapChannel peer, ReadOnlySpan<ulong> kept)
    {
        int before = peer.Messaging.Index.Bytes;
        peer.Messaging.Index.Rebuild(kept, spare: 1);
        Charge(peer, before);
    }

    /// <summary>
    /// Has the memory of the peers fetched that the next entries of a log belong to: with many peers each waits for it otherwise.
    /// </summary>
    /// <param name="log">The log, of which the oldest segment is read.</param>
    /// <param name="offset">See <see cref="ReplyLog.TryReadHead"/>; of what comes after those entries.</param>
    /// <returns>How many entries.</returns>
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

    /// <summary>
    /// Takes a finished exchange off the index of its peer, if that still points to it. A peer without any is taken off the table.
    /// </summary>
    public void Remove(in ReplyHeader header, ulong place)
    {
        // The number may have gone to another peer meanwhile; the place tells.
        if ((uint)header.Owner >= (uint)_peers.Length || _peers[header.Owner] is not { } peer
            || peer.Messaging.Index.Find(header.MessageId) != place)
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
