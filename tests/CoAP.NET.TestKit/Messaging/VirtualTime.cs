namespace CoAP.NET.Tests.Messaging;

/// <summary>A clock that stands until it is moved, in units of 100 ns.</summary>
internal sealed class VirtualTime : TimeProvider
{
    private long _now = FromDays(1).Ticks;

    public long Now
    {
        get => Volatile.Read(ref _now);
        set => Volatile.Write(ref _now, value);
    }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Now;
}
