using CoAP.NET.Testing;

namespace CoAP.NET.Footprint;

/// <summary>
/// Virtual time that is read without a lock: a receive loop reads the system's clock once for some datagrams, and what it costs to read a
/// clock is not what is measured here. For one thread.
/// </summary>
internal sealed class ManualClock : TimeProvider
{
    private readonly VirtualClock _clock = new();
    private long _now;
    private bool _isAdvancing;

    public ManualClock() => _now = _clock.GetTimestamp();

    public override long TimestampFrequency => _clock.TimestampFrequency;

    public override long GetTimestamp() => _isAdvancing ? _clock.GetTimestamp() : _now;

    public override DateTimeOffset GetUtcNow() => _clock.GetUtcNow();

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        _clock.CreateTimer(callback, state, dueTime, period);

    /// <summary>Lets time pass and runs what becomes due, each at its own time.</summary>
    public void Advance(TimeSpan by)
    {
        _isAdvancing = true;
        _clock.Advance(by);
        _now = _clock.GetTimestamp();
        _isAdvancing = false;
    }
}
