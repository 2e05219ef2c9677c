using CoAP.NET.Simulation.Faults;

namespace CoAP.NET.Reliability.Tests.Faults;

/// <summary>A clock of a user that throws when a fault is due.</summary>
internal sealed class FaultClock(FaultInjector injector) : TimeProvider
{
    public const string Timestamp = "TimeProvider.GetTimestamp";
    public const string Timer = "ITimer.Change";

    public override long GetTimestamp()
    {
        injector.Hit(Timestamp);
        return base.GetTimestamp();
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        new FaultTimer(injector, base.CreateTimer(callback, state, dueTime, period));

    private sealed class FaultTimer(FaultInjector injector, ITimer timer) : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            injector.Hit(Timer);
            return timer.Change(dueTime, period);
        }

        public void Dispose() => timer.Dispose();

        public ValueTask DisposeAsync() => timer.DisposeAsync();
    }
}
