namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>
/// The clock of a node, which goes wrong by a constant and by a rate, and the life of its process: while that stands still no timer fires,
/// though time goes on; when it is dead none ever does. One thread uses it.
/// </summary>
/// <param name="clock">The time of the world.</param>
/// <param name="offset">How far its date is off.</param>
/// <param name="drift">How much faster it is, in millionths.</param>
internal sealed class NodeTime(VirtualClock clock, TimeSpan offset, int drift) : TimeProvider
{
    private readonly double _rate = 1 + (drift / 1e6);
    private readonly HashSet<NodeTimer> _timers = [];
    private readonly List<NodeTimer> _missed = [];
    private TaskCompletionSource? _sleep;
    private TimeSpan _jumped;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>What fired last, of all nodes.</summary>
    public static string LastFired => NodeTimer.DescribeLast();

    /// <summary>Whether its process stands still.</summary>
    public bool IsAsleep => _sleep is not null;

    /// <summary>Whether its process has ended.</summary>
    public bool IsDead { get; private set; }

    /// <summary>Whether nothing happens in it now.</summary>
    public bool IsStill => IsAsleep || IsDead;

    public override long GetTimestamp() => (long)(clock.GetTimestamp() * _rate);

    public override DateTimeOffset GetUtcNow() => clock.GetUtcNow() + offset + _jumped + (clock.Elapsed * (_rate - 1));

    /// <summary>Sets its date, as a time server does. Timers and timestamps continue as before.</summary>
    /// <param name="by">By how much it jumps.</param>
    public void Jump(TimeSpan by) => _jumped += by;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        NodeTimer timer = new(this, callback, state);
        if (!IsDead)
        {
            _timers.Add(timer);
            timer.Change(dueTime, period);
        }

        return timer;
    }

    /// <summary>The process stands still.</summary>
    public void Sleep() => _sleep ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The process goes on: what was due meanwhile happens now.</summary>
    public void Wake()
    {
        TaskCompletionSource? sleep = _sleep;
        _sleep = null;
        sleep?.TrySetResult();
        NodeTimer[] missed = [.. _missed];
        _missed.Clear();
        foreach (NodeTimer timer in missed)
        {
            timer.Fire();
        }
    }

    /// <summary>The process ends, without a word.</summary>
    public void Kill()
    {
        IsDead = true;
        _sleep ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        foreach (NodeTimer timer in _timers)
        {
            timer.End();
        }

        _timers.Clear();
        _missed.Clear();
    }

    /// <summary>Ends when the process does not stand still; never, when it is dead.</summary>
    public Task AwakeAsync() => _sleep?.Task ?? Task.CompletedTask;

    // Never so short that the clock of the node does not show the time yet when the timer fires: whoever looks would wait again for
    // nothing, for ever.
    private TimeSpan Stretch(TimeSpan time) =>
        time == Timeout.InfiniteTimeSpan || time == TimeSpan.Zero ? time : new TimeSpan((long)Math.Ceiling(time.Ticks / _rate) + 2);

    private sealed class NodeTimer : ITimer
    {
        private static readonly NodeTimer?[] s_last = new NodeTimer?[4];
        private static uint s_fired;

        private readonly NodeTime _time;
        private readonly TimerCallback _callback;
        private readonly object? _state;
        private readonly ITimer _inner;
        private bool _isMissed;
        private bool _isDisposed;

        public NodeTimer(NodeTime time, TimerCallback callback, object? state)
        {
            (_time, _callback, _state) = (time, callback, state);
            _inner = time.Clock.CreateTimer(
                timer => ((NodeTimer)timer!).OnDue(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            _isMissed = false;
            return !_time.IsDead && !_isDisposed && _inner.Change(_time.Stretch(dueTime), _time.Stretch(period));
        }

        public void Fire()
        {
            if (_isMissed)
            {
                _isMissed = false;
                _callback(_state);
            }
        }

        public static string DescribeLast() => string.Join(", ",
            s_last.OfType<NodeTimer>().Select(timer => $"{timer._callback.Method.DeclaringType} with {timer._state}"));

        public void End() => _inner.Dispose();

        public void Dispose()
        {
            _isDisposed = true;
            _isMissed = false;
            _time._timers.Remove(this);
            _inner.Dispose();
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }

        private void OnDue()
        {
            if (!_time.IsStill)
            {
                s_last[s_fired++ % s_last.Length] = this;
                _callback(_state);
            }
            else if (!_time.IsDead && !_isMissed)
            {
                _isMissed = true;
                _time._missed.Add(this);
            }
        }
    }

    private VirtualClock Clock => clock;
}
