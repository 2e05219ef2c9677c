namespace CoAP.NET.Tests.Shard;

/// <summary>The timers of a shard, in virtual time and against a model that only sorts.</summary>
public class TimerWheelTests
{
    private const long Slot = 1L << TimerWheel.SlotBits;
    private const long Second = TimeSpan.TicksPerSecond;

    public static TheoryData<int> Seeds()
    {
        int first = CampaignSetting.Of("COAP_TEST_SEED", 1);
        int count = CampaignSetting.Of("COAP_TEST_TIMER_RUNS", 40);
        return [.. Enumerable.Range(first, count)];
    }

    [Fact]
    public void A_timer_never_fires_early_and_at_most_one_slot_late()
    {
        TimerWheel wheel = new(1_234);
        foreach (long due in new[]
        {
            1_234, Slot - 1, Slot, Slot + 1, 2 * Second, 247 * Second, 90_000 * Second, 5L * 365 * 86_400 * Second
        })
        {
            List<long> fired = [];
            wheel.Schedule(new ActionTimer(fired.Add), due);
            while (wheel.Count > 0)
            {
                wheel.Advance(wheel.NextDue);
            }

            Assert.InRange(Assert.Single(fired), due, due + Slot - 1);
        }
    }

    [Fact]
    public void No_timer_fires_before_NextDue_and_the_first_timer_fires_at_NextDue()
    {
        TimerWheel wheel = new(0);
        int fired = 0;
        wheel.Schedule(new ActionTimer(_ => fired++), 3 * Second);
        wheel.Schedule(new ActionTimer(_ => fired += 10), 2 * Second);
        while (fired == 0)
        {
            long due = wheel.NextDue;
            wheel.Advance(due - 1);
            Assert.Equal(0, fired);
            wheel.Advance(due);
        }

        Assert.Equal(10, fired);
        Assert.Equal(1, wheel.Count);
    }

    [Fact]
    public void The_NextDue_of_an_empty_wheel_is_the_maximum()
    {
        TimerWheel wheel = new(0);
        ActionTimer timer = new(_ => { });
        Assert.Equal(long.MaxValue, wheel.NextDue);
        wheel.Schedule(timer, Second);
        Assert.InRange(wheel.NextDue, 1, Second + Slot);
        wheel.Cancel(timer);
        wheel.Cancel(timer);
        Assert.Equal(long.MaxValue, wheel.NextDue);
        Assert.Equal(0, wheel.Count);
        Assert.False(timer.IsScheduled);
    }

    [Fact]
    public void A_timer_with_the_maximum_due_time_never_fires()
    {
        TimerWheel wheel = new(0);
        ActionTimer timer = new(_ => Assert.Fail("fired"));
        wheel.Schedule(timer, long.MaxValue);
        wheel.Advance(100L * 365 * 86_400 * Second);
        Assert.True(timer.IsScheduled);
        Assert.True(wheel.NextDue > 100L * 365 * 86_400 * Second);
    }

    [Fact]
    public void After_a_long_jump_all_timers_fire_in_the_order_of_their_due_times()
    {
        TimerWheel wheel = new(0);
        List<long> order = [];
        long[] dues = [90_000 * Second, 1, 54 * Second, 53 * Second, 860 * Second, Second, 400L * 86_400 * Second, 859 * Second, 2];
        foreach (long due in dues)
        {
            wheel.Schedule(new ActionTimer(_ => order.Add(due)), due);
        }

        wheel.Advance(401L * 86_400 * Second);
        Assert.Equal(dues.Order(), order);
    }

    [Fact]
    public void Timers_with_equal_due_times_fire_in_the_order_of_scheduling()
    {
        TimerWheel wheel = new(0);
        List<int> order = [];
        ActionTimer[] timers = [.. Enumerable.Range(0, 10).Select(i => new ActionTimer(_ => order.Add(i)))];
        foreach (ActionTimer timer in timers)
        {
            wheel.Schedule(timer, 500 * Second);
        }

        wheel.Schedule(timers[3], 500 * Second);
        wheel.Advance(499 * Second);
        wheel.Schedule(timers[0], 500 * Second);
        wheel.Advance(501 * Second);
        Assert.Equal([1, 2, 4, 5, 6, 7, 8, 9, 3, 0], order);
    }

    [Fact]
    public void A_timer_that_schedules_itself_for_now_fires_once_in_each_call()
    {
        TimerWheel wheel = new(0);
        int fired = 0;
        ActionTimer? timer = null;
        timer = new ActionTimer(now =>
        {
            fired++;
            wheel.Schedule(timer!, now);
        });
        wheel.Schedule(timer, 0);
        for (int i = 1; i <= 5; i++)
        {
            Assert.True(wheel.NextDue <= i * Slot);
            wheel.Advance(i * Slot);
            Assert.Equal(i, fired);
        }
    }

    [Fact]
    public void A_timer_can_cancel_one_that_is_due_in_the_same_call()
    {
        TimerWheel wheel = new(0);
        ActionTimer victim = new(_ => Assert.Fail("fired"));
        wheel.Schedule(new ActionTimer(_ => wheel.Cancel(victim)), 1);
        wheel.Schedule(victim, 2);
        wheel.Advance(Second);
        Assert.Equal(0, wheel.Count);
    }

    [Fact]
    public void An_exception_of_a_timer_does_not_keep_other_timers_from_firing()
    {
        TimerWheel wheel = new(0);
        List<int> fired = [];
        wheel.Schedule(new ActionTimer(_ => throw new InvalidOperationException("timer")), 1);
        wheel.Schedule(new ActionTimer(_ => fired.Add(2)), 2);
        wheel.Schedule(new ActionTimer(_ => fired.Add(3)), 3);
        Assert.Throws<InvalidOperationException>(() => wheel.Advance(Second));
        Assert.Equal(2, wheel.Count);
        Assert.True(wheel.NextDue <= Second);
        wheel.Advance(Second);
        Assert.Equal([2, 3], fired);
    }

    [Fact]
    public void Advancing_to_an_earlier_time_fires_no_timer()
    {
        TimerWheel wheel = new(100 * Second);
        int fired = 0;
        wheel.Schedule(new ActionTimer(_ => fired++), 101 * Second);
        wheel.Advance(50 * Second);
        Assert.Equal(0, fired);
        wheel.Advance(102 * Second);
        wheel.Advance(1);
        Assert.Equal(1, fired);
    }

    [Fact]
    public void Waiting_for_NextDue_wakes_at_most_three_times_per_timer()
    {
        TimerWheel wheel = new(0);
        Random random = new(5);
        int fired = 0;
        for (int i = 0; i < 1_000; i++)
        {
            wheel.Schedule(new ActionTimer(_ => fired++), random.NextInt64(0, 86_400 * Second));
        }

        int wakes = 0;
        while (wheel.Count > 0)
        {
            wheel.Advance(wheel.NextDue);
            wakes++;
        }

        Assert.Equal(1_000, fired);
        Assert.InRange(wakes, 1, 3_000);
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void The_timer_wheel_behaves_like_a_sorted_list(int seed)
    {
        Random random = new(seed);
        long now = random.NextInt64(0, 1L << 55);
        TimerWheel wheel = new(now);
        SortedModel model = new();
        List<string> wheelLog = [];
        List<string> modelLog = [];
        Random wheelChoices = new(seed);
        Random modelChoices = new(seed);
        const int timers = 60;
        ActionTimer[] all = new ActionTimer[timers];
        for (int i = 0; i < timers; i++)
        {
            int id = i;
            all[i] = new ActionTimer(at => Fired(id, at, wheelLog, wheelChoices, Schedule, other => wheel.Cancel(all[other])));
        }

        for (int step = 0; step < 400; step++)
        {
            int id = random.Next(timers);
            switch (random.Next(4))
            {
                case 0 or 1:
                    long due = Math.Max(0, now + Distance(random));
                    Schedule(id, due);
                    model.Schedule(id, due);
                    break;
                case 2:
                    wheel.Cancel(all[id]);
                    model.Cancel(id);
                    break;
                default:
                    now = random.Next(3) == 0 && wheel.NextDue != long.MaxValue
                        ? Math.Max(now, wheel.NextDue)
                        : now + Math.Abs(Distance(random));
                    wheel.Advance(now);
                    model.Advance(now, fired => Fired(fired, now, modelLog, modelChoices, model.Schedule, model.Cancel));
                    break;
            }

            Assert.Equal(modelLog, wheelLog);
            Assert.Equal(model.Count, wheel.Count);
            Assert.Equal(model.Count == 0, wheel.NextDue == long.MaxValue);
            Assert.True(wheel.NextDue <= Math.Max(model.FirstSlotEnd, now));
        }

        void Schedule(int id, long due) => wheel.Schedule(all[id], due);

        static void Fired(int id, long at, List<string> log, Random choices, Action<int, long> schedule, Action<int> cancel)
        {
            log.Add($"{id}@{at}");
            int other = choices.Next(timers);
            switch (choices.Next(4))
            {
                case 0:
                    schedule(id, Math.Max(0, at + Distance(choices)));
                    break;
                case 1:
                    schedule(other, Math.Max(0, at + Distance(choices)));
                    break;
                case 2:
                    cancel(other);
                    break;
                default:
                    break;
            }
        }

        // From within a slot to several years, mostly forward; some fall on the edge of a slot or a wheel.
        static long Distance(Random choices)
        {
            long distance = choices.NextInt64(0, 1L << choices.Next(1, 52));
            return choices.Next(6) switch
            {
                0 => -distance,
                1 => distance & ~(Slot - 1),
                2 => distance & ~((Slot << 8) - 1),
                _ => distance,
            };
        }
    }

    private sealed class ActionTimer(Action<long> fire) : WheelTimer
    {
        internal override void Fire(long now) => fire(now);
    }

    /// <summary>What the wheel promises, in the plainest form.</summary>
    private sealed class SortedModel
    {
        private readonly Dictionary<int, (long Due, long Order)> _scheduled = [];
        private long _order;

        public int Count => _scheduled.Count;

        public long FirstSlotEnd => _scheduled.Count == 0 ? long.MaxValue : _scheduled.Values.Min(entry => End(entry.Due));

        public void Schedule(int id, long due) => _scheduled[id] = (due, _order++);

        public void Cancel(int id) => _scheduled.Remove(id);

        public void Advance(long now, Action<int> fire)
        {
            var due = _scheduled.Where(entry => End(entry.Value.Due) <= now).OrderBy(entry => entry.Value).ToList();
            foreach ((int id, (long Due, long Order) entry) in due)
            {
                if (_scheduled.TryGetValue(id, out (long Due, long Order) current) && current == entry)
                {
                    _scheduled.Remove(id);
                    fire(id);
                }
            }
        }

        private static long End(long due) => (due + Slot - 1) / Slot * Slot;
    }
}
