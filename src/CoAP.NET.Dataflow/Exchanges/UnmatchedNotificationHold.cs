namespace CoAP.NET.Exchanges;

/// <summary>A period in which a shard holds unmatched notifications.</summary>
internal sealed class UnmatchedNotificationHold(CoapShard shard, UnmatchedNotificationQueue held) : WheelTimer, IDisposable
{
    /// <summary>Ends the hold, unless it has ended already. Takes the lock.</summary>
    public void Dispose()
    {
        shard.Enter();
        try
        {
            held.End(this);
        }
        finally
        {
            shard.ExitAndSend();
        }
    }

    /// <summary>Ends the hold when its time is over.</summary>
    internal override void Fire(long now) => held.End(this);
}
