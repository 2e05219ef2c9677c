namespace CoAP.NET.Channels;

/// <summary>
/// State and lock that a part of the peers share. Not a thread: whoever brings a message, a reply, a call or a tick takes the lock,
/// decides, appends to the outbox of a channel, and lets go.
/// </summary>
internal sealed class CoapShard
{
    public CoapShard(int index, CoapEnvironment environment)
    {
        Index = index;
        Environment = environment;
        Wheel = new TimerWheel(environment.Now);
    }

    public int Index { get; }

    public CoapEnvironment Environment { get; }

    /// <summary>Guards everything in the shard: channels, messaging and exchange state, the wheel.</summary>
    public Lock Gate { get; } = new();

    /// <summary>Guarded by <see cref="Gate"/>.</summary>
    public TimerWheel Wheel { get; }

    /// <summary>Called, outside the lock, when the wheel may have something due earlier than its driver knows. Set by the endpoint.</summary>
    public Action? WakeClock { get; set; }

    /// <summary>When the driver of the clock will look next, in units of 100 ns. Guarded by <see cref="Gate"/>.</summary>
    public long DriverDue { get; set; } = long.MaxValue;
}
