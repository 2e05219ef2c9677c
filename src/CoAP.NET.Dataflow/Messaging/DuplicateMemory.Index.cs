using System.Buffers;
using CoAP.NET.Channels;
using CoAP.NET.Execution;

namespace CoAP.NET.Messaging;

// The indexes of the peers: growing, shrinking, and giving up what a log gives up.
internal sealed partial class DuplicateMemory
{
    // Exchanges beyond the bound of requests served: responses on their way, and requests that are about to be answered 5.03.
    private const int RunningSlack = 1024;
    private const int KeptNumbers = 1024;
    private static readonly long s_expiryPeriod = TimeSpan.FromSeconds(15).Ticks;

    private readonly ExpiryTimer _expiryTimer;
    private CoapChannel?[] _states = new CoapChannel?[16];
    private int[] _freeNumbers = new int[16];
    private int _freeCount;
    private int _numbers;

    /// <summary>Peers with something in their index.</summary>
    public int Peers => _numbers - _freeCount;

    private void Register(CoapChannel peer, long now)
    {
        int number = _freeCount > 0 ? _freeNumbers[--_freeCount] : _numbers++;
        if (number == _states.Length)
        {
            Array.Resize(ref _states, number * 2);
        }

        _states[number] = peer;
        peer.Messaging.Number = number;
        if (!_expiryTimer.IsScheduled)
        {
            _shard.Wheel.Schedule(_expiryTimer, now + s_expiryPeriod);
        }
    }

    private void Unregister(CoapChannel peer)
    {
        if (peer.Messaging.Number < 0)
        {
            return;
        }

        int before = peer.Messaging.Index.Bytes;
        peer.Messaging.Index = default;
        ChargeIndex(peer, before);
        peer.Messaging.Bytes = 0;
        peer.Messaging.Keep(-peer.Messaging.Lasting);
        if (peer.Messaging.Reserved == 0)
        {
            _shares.Leave(peer);
        }

        _states[peer.Messaging.Number] = null;
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
            if (_states.Length > KeptNumbers)
            {
                _states = new CoapChannel?[KeptNumbers];
                _freeNumbers = new int[KeptNumbers];
            }
        }
    }

    private void GrowIndex(CoapChannel peer, long now)
    {
        // Others make room for it. If they cannot, it grows nevertheless: a running exchange is in the index, whatever is full.
        MakeRoom(peer.Messaging.Index.GrowthBytes, now);
        if (peer.Messaging.Index.IsFull)
        {
            int before = peer.Messaging.Index.Bytes;
            peer.Messaging.Index.Grow();
            ChargeIndex(peer, before);
        }
    }

    /// <summary>Has the memory of the peers fetched that the next entries of a log belong to: with many peers each waits for it otherwise.</summary>
    /// <param name="log">The log, of which the oldest segment is read.</param>
    /// <param name="offset">See <see cref="ReplyLog.TryReadHead"/>; of what comes after those entries.</param>
    /// <returns>How many entries.</returns>
    private int FetchOwners(ReplyLog log, ref int offset)
    {
        const int most = 32;
        Span<int> owners = stackalloc int[most];
        int count = 0;
        while (count < most && log.TryReadHead(ref offset, out ReplyHeader header, out _))
        {
            if ((uint)header.Owner < (uint)_states.Length)
            {
                CacheLines.Fetch(ref _states[header.Owner]);
            }

            owners[count++] = header.Owner;
        }

        foreach (int owner in owners[..count])
        {
            if ((uint)owner < (uint)_states.Length && _states[owner] is { } peer)
            {
                CacheLines.FetchObject(peer, CoapChannel.OftenTouched);
            }
        }

        return count;
    }

    /// <summary>Takes a finished exchange off the index of its peer, if that still points to it. A peer without any is taken off the table.</summary>
    private void RemoveFromIndex(in ReplyHeader header, ulong place)
    {
        // The number may have gone to another peer meanwhile; the place tells.
        if ((uint)header.Owner >= (uint)_states.Length || _states[header.Owner] is not { } peer || peer.Messaging.Index.Find(header.MessageId) != place)
        {
            return;
        }

        peer.Messaging.Index.Remove(header.MessageId);
        peer.Messaging.Bytes -= ReplyHeader.EntrySize(header.Length);
        if (Lasts(place))
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

    private void Rebuild(CoapChannel peer, ReadOnlySpan<ulong> kept)
    {
        int before = peer.Messaging.Index.Bytes;
        peer.Messaging.Index.Rebuild(kept, spare: 1);
        ChargeIndex(peer, before);
    }

    private void ChargeIndex(CoapChannel peer, int before)
    {
        int bytes = peer.Messaging.Index.Bytes;
        bool isUnverified = !peer.IsProtected;
        _indexBytes += bytes - before;
        _unverifiedIndexBytes += (isUnverified ? bytes : 0) - (peer.Messaging.IsIndexUnverified ? before : 0);
        peer.Messaging.IsIndexUnverified = isUnverified;
    }

    private void OnExpiry(long now)
    {
        DropExpired(now);
        _spareSegments.Clear();

        // Peers may have been forgotten before what they sent: nobody else would drop that.
        if (_numbers > _freeCount || Finished > 0)
        {
            _shard.Wheel.Schedule(_expiryTimer, now + s_expiryPeriod);
        }
    }

    private sealed class ExpiryTimer(DuplicateMemory memory) : WheelTimer
    {
        internal override void Fire(long now) => memory.OnExpiry(now);
    }
}
