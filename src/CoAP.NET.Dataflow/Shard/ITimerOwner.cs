namespace CoAP.NET.Shard;

/// <summary>A state machine whose timers are objects of their own, such as messages.</summary>
internal interface ITimerOwner
{
    /// <summary>Handles a due timer. Under the shard's lock; the timer is no longer scheduled.</summary>
    /// <param name="timer">The timer.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    void OnDue(WheelTimer timer, long now);
}
