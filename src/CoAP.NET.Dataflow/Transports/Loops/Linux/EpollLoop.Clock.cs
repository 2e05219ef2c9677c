namespace CoAP.NET.Transports;

/// <summary>The loop as a driver of clocks: after each turn those that are due, and epoll_wait no longer than to the next one.</summary>
internal sealed unsafe partial class EpollLoop
{
    // A server looks every few seconds whether its sockets are still its own: one that somebody else closed would leave it up and deaf.
    private static readonly long s_checkPeriod = 5 * TimeProvider.System.TimestampFrequency;

    private readonly LoopClocks _clocks = new();
    private long _checkAt;

    private static long Now => TimeProvider.System.GetTimestamp();

    private static long ToTimestamp(TimeSpan time) => (long)(time.Ticks * ((double)TimeProvider.System.TimestampFrequency / TimeSpan.TicksPerSecond));

    private bool RunClocks(ReceiveRole role)
    {
        if (_clocks.IsEmpty && _shared is not null)
        {
            return true;
        }

        long now = Now;
        if (now >= _checkAt)
        {
            _checkAt = now + s_checkPeriod;
            CheckFiles();
        }

        while (_clocks.PeekDue(now) is { } clock)
        {
            LoopOwner owner = clock.Owner!;
            Begin(owner);
            TimeSpan next = owner.Context.Tick();
            if (!role.Settle())
            {
                return false;
            }

            // At least a little later than now, so that a clock that is always due cannot keep the loop from receiving.
            _clocks.Schedule(clock, next == Timeout.InfiniteTimeSpan ? long.MaxValue : Math.Max(Now + ToTimestamp(next), now + 1));
            if (!Flush(role))
            {
                return false;
            }
        }

        return true;
    }

    private int MillisecondsToWait()
    {
        long due = Math.Min(_clocks.NextDue, _checkAt);
        if (_shared is { } shared)
        {
            due = Math.Min(due, shared.EndsAt);
        }

        if (due == long.MaxValue)
        {
            return Timeout.Infinite;
        }

        // Rounded up, so that it does not turn in circles until the time has come.
        long frequency = TimeProvider.System.TimestampFrequency;
        long wait = due - Now;
        return wait <= 0 ? 0 : (int)Int128.Min((((Int128)wait * 1000) + frequency - 1) / frequency, 60_000);
    }
}
