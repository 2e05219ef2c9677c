using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tables;

/// <summary>
/// The entries of a table in memory: changes them, notifies the rules, and ends expired entries with one timer for all. Thread-safe;
/// methods with a slot require the lock of that slot.
/// </summary>
internal class TableContents : IDisposable
{
    /// <summary>The end of entries that do not expire.</summary>
    public const long Never = long.MaxValue;

    public const int Slots = 256;

    // Others get the lock of a slot in between.
    private const int MostAtOnce = 256;
    private static readonly TimeSpan s_longestWait = TimeSpan.FromDays(1);

    private readonly ICoapReplicatedTableRules _rules;
    private readonly ILogger _logger;
    private readonly RateLimitedLog _failed;
    private readonly TablePartition[] _slots;
    private readonly Lock _timerGate = new();
    private readonly ITimer _timer;
    private readonly long _began;
    private long _armed = Never;
    private long _count;
    private long _bytes;
    private bool _isDisposed;

    public TableContents(ICoapReplicatedTableRules rules, TimeProvider time, ILogger logger, Func<TablePartition> newSlot)
    {
        _rules = rules;
        _slots = [.. Enumerable.Range(0, Slots).Select(_ => newSlot())];
        Time = time;
        _logger = logger;
        _failed = new RateLimitedLog(time);
        _began = time.GetTimestamp();
        _timer = time.CreateTimer(
            static contents => ((TableContents)contents!).OnTime(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>The clock.</summary>
    public TimeProvider Time { get; }

    public int Count => (int)Volatile.Read(ref _count);

    /// <summary>The bytes of keys and values.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>The time in ticks since the creation, independent of the wall clock.</summary>
    public long Now => Time.GetElapsedTime(_began).Ticks;

    public TablePartition this[byte slot] => _slots[slot];

    public long EndOf(TimeSpan lifetime)
    {
        long now = Now;
        return lifetime == Timeout.InfiniteTimeSpan || lifetime.Ticks >= Never - now ? Never : now + lifetime.Ticks;
    }

    public TimeSpan RemainingOf(long expires) =>
        expires == Never ? Timeout.InfiniteTimeSpan : new TimeSpan(Math.Max(0, expires - Now));

    /// <summary>Calls the rules.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="key">The key of the entry. An expired entry ends first.</param>
    /// <param name="question">The question.</param>
    /// <param name="index">The index of the entry; none if there is none.</param>
    public CoapTableDecision Decide(TablePartition slot, CoapTableKey key, ReadOnlyMemory<byte> question, out int index)
    {
        index = slot.Entries.Find(key.Bytes);
        if (index == TableSlotEntries.None)
        {
            return _rules.Decide(new CoapTableDecisionContext(key, null, question, TimeSpan.Zero, Time.GetUtcNow()));
        }

        ref TableEntry entry = ref slot.Entries[index];
        if (entry.Expires <= Now)
        {
            End(slot, index);
            index = TableSlotEntries.None;
            return _rules.Decide(new CoapTableDecisionContext(key, null, question, TimeSpan.Zero, Time.GetUtcNow()));
        }

        return _rules.Decide(new CoapTableDecisionContext(key, entry.Value, question, RemainingOf(entry.Expires), Time.GetUtcNow()));
    }

    /// <summary>Puts an entry, and notifies the rules.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="data">Its key and value, whose ownership passes; see <see cref="TableEntry.DataOf"/>.</param>
    /// <param name="keyLength">The length of the key.</param>
    /// <param name="expires">Its end.</param>
    /// <returns>Its index.</returns>
    public int Put(TablePartition slot, byte[] data, int keyLength, long expires)
    {
        ReadOnlySpan<byte> key = data.AsSpan(0, keyLength);
        TableSlotEntries entries = slot.Entries;
        int before = entries.Find(key);
        int bytes = before == TableSlotEntries.None ? 0 : entries[before].Data!.Length;
        int index = entries.Put(data, keyLength, expires);
        Interlocked.Add(ref _count, before == TableSlotEntries.None ? 1 : 0);
        Interlocked.Add(ref _bytes, entries[index].Data!.Length - bytes);
        entries[index].Version++;
        Report(new CoapTableChange(new CoapTableKey(key), entries[index].Value, RemainingOf(expires)));
        Arm(expires);
        return index;
    }

    public void Renew(TablePartition slot, int index, long expires)
    {
        slot.Entries.SetExpires(index, expires);
        Arm(expires);
    }

    public void Remove(TablePartition slot, int index, bool isExpired)
    {
        CoapTableKey key = new(slot.Entries[index].Key);
        Interlocked.Decrement(ref _count);
        Interlocked.Add(ref _bytes, -slot.Entries[index].Data!.Length);
        slot.Entries.Remove(index);
        Report(new CoapTableChange(key, null, TimeSpan.Zero, isExpired));
    }

    public void Dispose()
    {
        lock (_timerGate)
        {
            _isDisposed = true;
        }

        _timer.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Ends an expired entry, under the lock of its slot.</summary>
    protected virtual void End(TablePartition slot, int index)
    {
        Remove(slot, index, isExpired: true);
    }

    private void Report(CoapTableChange change)
    {
        try
        {
            _rules.OnChanged(change);
        }
#pragma warning disable CA1031 // the change has taken place, regardless of exceptions of the rules
        catch (Exception exception)
#pragma warning restore CA1031
        {
            if (_failed.IsDue())
            {
                TableLog.RulesFailed(_logger, change.Key, exception);
            }
        }
    }

    // Most entries end later than the current timer, and cost only a comparison.
    private void Arm(long expires)
    {
        if (expires >= Volatile.Read(ref _armed))
        {
            return;
        }

        lock (_timerGate)
        {
            if (expires < _armed && !_isDisposed)
            {
                Volatile.Write(ref _armed, expires);
                TimeSpan wait = new(Math.Max(0, expires - Now));

                // Timers count in milliseconds; one that fires too early would fire again at once.
                wait = TimeSpan.FromMilliseconds(Math.Ceiling(wait.TotalMilliseconds));
                _timer.Change(wait < s_longestWait ? wait : s_longestWait, Timeout.InfiniteTimeSpan);
            }
        }
    }

    private void OnTime()
    {
        lock (_timerGate)
        {
            if (_isDisposed)
            {
                return;
            }

            Volatile.Write(ref _armed, Never);
        }

        long next = Never;
        foreach (TablePartition slot in _slots)
        {
            next = Math.Min(next, EndAll(slot));
        }

        Arm(next);
    }

    // Returns the end of the next entry of the slot.
    private long EndAll(TablePartition slot)
    {
        while (true)
        {
            lock (slot.Gate)
            {
                long now = Now;
                for (int i = 0; i < MostAtOnce; i++)
                {
                    int first = slot.Entries.FirstToEnd;
                    if (first == TableSlotEntries.None)
                    {
                        return Never;
                    }

                    if (slot.Entries[first].Expires > now)
                    {
                        return slot.Entries[first].Expires;
                    }

                    End(slot, first);
                }
            }
        }
    }
}
