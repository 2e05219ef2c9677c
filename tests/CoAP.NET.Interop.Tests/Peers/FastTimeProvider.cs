namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>
/// A clock that runs faster than the system's, for an endpoint whose waits of many seconds a test does not want to sit through.
/// </summary>
/// <param name="factor">How many times as fast.</param>
internal sealed class FastTimeProvider(int factor) : TimeProvider
{
    public override long TimestampFrequency => System.TimestampFrequency;

    public override long GetTimestamp() => System.GetTimestamp() * factor;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        new FastTimer(System.CreateTimer(callback, state, Scale(dueTime), Scale(period)), this);

    private TimeSpan Scale(TimeSpan time) => time == Timeout.InfiniteTimeSpan ? time : time / factor;

    private sealed class FastTimer(ITimer timer, FastTimeProvider time) : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => timer.Change(time.Scale(dueTime), time.Scale(period));

        public void Dispose() => timer.Dispose();

        public ValueTask DisposeAsync() => timer.DisposeAsync();
    }
}
