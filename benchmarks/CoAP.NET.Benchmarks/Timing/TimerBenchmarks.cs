namespace CoAP.NET.Benchmarks;

/// <summary>
/// The timers of a shard: what scheduling costs while none, or a million, others wait. They lie spread over EXCHANGE_LIFETIME (247 s; RFC
/// 7252 section 4.8.2), as those of exchanges and retransmissions do.
/// </summary>
[MemoryDiagnoser]
public class TimerBenchmarks
{
    private const int Timers = 1024;
    private static readonly long s_span = CoapTransmissionParameters.Default.ExchangeLifetime.Ticks;

    private readonly CountingTimer[] _timers = [.. Enumerable.Range(0, Timers).Select(_ => new CountingTimer())];
    private TimerWheel _wheel = null!;
    private PeriodicTimer[] _pending = [];
    private long _now;

    /// <summary>How many other timers wait.</summary>
    [Params(0, 1_000_000)]
    public int Pending { get; set; }

    /// <summary>Schedules the others, and checks that what is cancelled does not fire and what is due does.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _now = TimeSpan.TicksPerHour;
        _wheel = new TimerWheel(_now);
        _pending = [.. Enumerable.Range(0, Pending).Select(_ => new PeriodicTimer(_wheel))];
        for (int i = 0; i < Pending; i++)
        {
            _wheel.Schedule(_pending[i], _now + DueIn(i));
        }

        ScheduleAndCancel();
        long cancelled = Fired;
        ScheduleAndFire();
        if (cancelled != 0 || Fired != Timers || _wheel.Count != Pending)
        {
            throw new InvalidOperationException(
                $"{cancelled} timers fired although cancelled, {Fired} of {Timers} fired, {_wheel.Count} of {Pending} wait.");
        }
    }

    private long Fired => _timers.Sum(timer => timer.Fired);

    /// <summary>A timer that is scheduled and cancelled, as that of a message that is answered in time.</summary>
    [Benchmark(OperationsPerInvoke = Timers)]
    public int ScheduleAndCancel()
    {
        for (int i = 0; i < Timers; i++)
        {
            _wheel.Schedule(_timers[i], _now + DueIn(i));
        }

        foreach (CountingTimer timer in _timers)
        {
            _wheel.Cancel(timer);
        }

        return _wheel.Count;
    }

    /// <summary>
    /// A timer that is scheduled within the next 100 ms and fires, with all that the passing of 125 ms means for the others: of a million,
    /// about 500 are due in that time and are scheduled anew, so that as many wait all the time. Half a firing and scheduling of those is
    /// part of each one that is measured.
    /// </summary>
    [Benchmark(OperationsPerInvoke = Timers)]
    public int ScheduleAndFire()
    {
        const long soon = TimeSpan.TicksPerSecond / 10;
        for (int i = 0; i < Timers; i++)
        {
            _wheel.Schedule(_timers[i], _now + (soon * i / Timers));
        }

        // A slot of the wheel takes 13 ms, and a timer fires at its end.
        for (int i = 0; i < 10; i++)
        {
            _now += soon / 8;
            _wheel.Advance(_now);
        }

        return _wheel.Count;
    }

    // Spread evenly, in no order.
    private static long DueIn(int i) => 1 + (long)(((ulong)i * 0x9e37_79b9_7f4a_7c15UL >> 11) * (1.0 / (1UL << 53)) * s_span);

    private sealed class CountingTimer : WheelTimer
    {
        public long Fired { get; private set; }

        internal override void Fire(long now) => Fired++;
    }

    private sealed class PeriodicTimer(TimerWheel wheel) : WheelTimer
    {
        internal override void Fire(long now) => wheel.Schedule(this, now + s_span);
    }
}
