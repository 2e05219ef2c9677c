using System.Buffers;

namespace CoAP.NET.Messaging;

// The indexes of the peers: growing, shrinking, and giving up what a log gives up.
internal sealed partial class DuplicateMemory
{
    // Exchanges beyond the bound of requests served: responses on their way, and requests that are about to be answered 5.03.
    private const int RunningSlack = 1024;
    private const int KeptNumbers = 1024;
    private static readonly long s_expiryPeriod = TimeSpan.FromSeconds(15).Ticks;

    private readonly ExpiryTimer _expiryTimer;
    private MessagingState?[] _states = new MessagingState?[16];
    private int[] _freeNumbers = new int[16];
    private int _freeCount;
    private int _numbers;

    /// <summary>Peers with something in their index.</summary>
    public int Peers => _numbers - _freeCount;

    private void Register(MessagingState state, long now)
    {
        int number = _freeCount > 0 ? _freeNumbers[--_freeCount] : _numbers++;
        if (number == _states.Length)
        {
            Array.Resize(ref _states, number * 2);
        }

        _states[number] = state;
        state.Number = number;
        if (!_expiryTimer.IsScheduled)
        {
            _shard.Wheel.Schedule(_expiryTimer, now + s_expiryPeriod);
        }
    }

    private void Unregister(MessagingState state)
    {
        if (state.Number < 0)
        {
            return;
        }

        state.Index = default;
        ChargeIndex(state);
        state.Bytes = 0;
        _states[state.Number] = null;
        if (_freeCount == _freeNumbers.Length)
        {
            Array.Resize(ref _freeNumbers, _freeCount * 2);
        }

        _freeNumbers[_freeCount++] = state.Number;
        state.Number = -1;
        if (_freeCount == _numbers)
        {
            // The last one is gone: numbers begin anew, and what many peers needed is given back.
            _freeCount = _numbers = 0;
            if (_states.Length > KeptNumbers)
            {
                _states = new MessagingState?[KeptNumbers];
                _freeNumbers = new int[KeptNumbers];
            }
        }
    }

    private void GrowIndex(MessagingState state, long now)
    {
        // Others make room for it. If they cannot, it grows nevertheless: a running exchange is in the index, whatever is full.
        MakeRoom(state.Index.GrowthBytes, now);
        if (state.Index.IsFull)
        {
            state.Index.Grow();
            ChargeIndex(state);
        }
    }

    /// <summary>Takes a finished exchange off the index of its peer, if that still points to it. A peer without any is taken off the table.</summary>
    private void RemoveFromIndex(in ReplyHeader header, ulong place)
    {
        // The number may have gone to another peer meanwhile; the place tells.
        if ((uint)header.Owner >= (uint)_states.Length || _states[header.Owner] is not { } state || state.Index.Find(header.MessageId) != place)
        {
            return;
        }

        state.Index.Remove(header.MessageId);
        state.Bytes -= ReplyHeader.EntrySize(header.Length);
        if (state.Index.Count == 0)
        {
            Unregister(state);
        }
        else if (state.Index.Count * 8 < state.Index.Capacity)
        {
            Shrink(state);
        }
    }

    private void Shrink(MessagingState state)
    {
        ulong[] kept = ArrayPool<ulong>.Shared.Rent(state.Index.Count);
        int count = 0;
        foreach (ulong entry in state.Index.Entries)
        {
            if (entry != 0)
            {
                kept[count++] = entry;
            }
        }

        Rebuild(state, kept.AsSpan(0, count));
        ArrayPool<ulong>.Shared.Return(kept);
    }

    private void Rebuild(MessagingState state, ReadOnlySpan<ulong> kept)
    {
        state.Index.Rebuild(kept, spare: 1);
        ChargeIndex(state);
    }

    private void ChargeIndex(MessagingState state)
    {
        int bytes = state.Index.Bytes;
        int unverified = state.Channel.IsProtected ? 0 : bytes;
        _indexBytes += bytes - state.IndexBytes;
        _unverifiedIndexBytes += unverified - state.UnverifiedIndexBytes;
        state.IndexBytes = bytes;
        state.UnverifiedIndexBytes = unverified;
    }

    private void OnExpiry(long now)
    {
        DropExpired(now);
        _spareSegments.Clear();
        if (_numbers > _freeCount)
        {
            _shard.Wheel.Schedule(_expiryTimer, now + s_expiryPeriod);
        }
    }

    private sealed class ExpiryTimer(DuplicateMemory memory) : WheelTimer
    {
        internal override void Fire(long now) => memory.OnExpiry(now);
    }
}
