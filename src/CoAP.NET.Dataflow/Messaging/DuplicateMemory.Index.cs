using System.Buffers;

namespace CoAP.NET.Messaging;

// The indexes of the peers: growing, and getting rid of what points to nothing any more.
internal sealed partial class DuplicateMemory
{
    // Exchanges beyond the bound of requests served: responses on their way, and requests that are about to be answered 5.03.
    private const int RunningSlack = 1024;
    // What visiting a peer costs beyond its entries, and what each stored exchange pays: enough that of peers with one exchange each, as many leave as come.
    private const int VisitCost = 8;
    private const int EntriesSweptPerStore = 12;
    private const int EntriesSweptUnderPressure = 256;
    private const int EntriesPerTimedSweep = 256 * 1024;
    private static readonly long s_sweepPeriod = TimeSpan.FromSeconds(15).Ticks;

    private readonly SweepTimer _sweepTimer;
    private MessagingState?[] _states = new MessagingState?[16];
    private int[] _freeNumbers = new int[16];
    private int _freeCount;
    private int _numbers;
    private int _sweepAt;
    private int _sweepCredit;

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
        if (!_sweepTimer.IsScheduled)
        {
            _shard.Wheel.Schedule(_sweepTimer, now + s_sweepPeriod);
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
    }

    private void GrowIndex(MessagingState state, long now)
    {
        // What is stale goes first; but an index that stays more than half full would be looked through again too soon.
        Purge(state, spare: 1);
        if (state.Index.IsFull || state.Index.Count * 2 > state.Index.Capacity)
        {
            // Others make room for it. If they cannot, it grows nevertheless: a running exchange is in the index, whatever is full.
            MakeRoom(state.Index.GrowthBytes, now);
            state.Index.Grow();
            ChargeIndex(state);
        }
    }

    /// <summary>Takes entries off an index that point to nothing.</summary>
    private void Purge(MessagingState state, int spare)
    {
        ulong[] kept = ArrayPool<ulong>.Shared.Rent(Math.Max(1, state.Index.Count));
        int count = 0;
        foreach (ulong entry in state.Index.Entries)
        {
            if (entry != 0 && IsAlive(MidTable.PlaceOf(entry)))
            {
                kept[count++] = entry;
            }
        }

        if (count < state.Index.Count || count * 8 < state.Index.Capacity)
        {
            Rebuild(state, kept.AsSpan(0, count), spare);
        }

        ArrayPool<ulong>.Shared.Return(kept);
        if (count == 0)
        {
            state.Bytes = 0;
        }
    }

    private void Rebuild(MessagingState state, ReadOnlySpan<ulong> kept, int spare)
    {
        state.Index.Rebuild(kept, spare);
        ChargeIndex(state);
    }

    private void ChargeIndex(MessagingState state)
    {
        int bytes = state.Index.Bytes;
        int unverified = state.Channel.IsVerified ? 0 : bytes;
        _indexBytes += bytes - state.IndexBytes;
        _unverifiedIndexBytes += unverified - state.UnverifiedIndexBytes;
        state.IndexBytes = bytes;
        state.UnverifiedIndexBytes = unverified;
    }

    private bool IsAlive(ulong place)
    {
        int number = ReplyLog.NumberOf(place);
        return number == 0 ? _running[place] is not null : _logs[number].Contains(place);
    }

    /// <summary>Visits peers in turn, as many as have some number of entries in their indexes. A peer without any is taken off the table.</summary>
    private void Sweep(int entries)
    {
        _sweepCredit = Math.Min(_sweepCredit + entries, EntriesPerTimedSweep);
        for (int visited = 0; visited < _numbers && _sweepCredit > 0; visited++)
        {
            int at = _sweepAt < _numbers ? _sweepAt : 0;
            if (_states[at] is { } state)
            {
                int cost = state.Index.Capacity + VisitCost;
                if (cost > _sweepCredit)
                {
                    return;
                }

                _sweepCredit -= cost;
                Purge(state, spare: 0);
                if (state.Index.Count == 0)
                {
                    Unregister(state);
                }
            }

            _sweepCredit--;
            _sweepAt = at + 1;
        }
    }

    private void OnSweep(long now)
    {
        DropExpired(now);
        _spareSegments.Clear();
        Sweep(EntriesPerTimedSweep);
        if (_numbers > _freeCount)
        {
            _shard.Wheel.Schedule(_sweepTimer, now + s_sweepPeriod);
        }
    }

    private sealed class SweepTimer(DuplicateMemory memory) : WheelTimer
    {
        internal override void Fire(long now) => memory.OnSweep(now);
    }
}
