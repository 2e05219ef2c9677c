namespace CoAP.NET.Exchanges;

/// <summary>A period in which a shard holds unmatched notifications. Guarded by Shard.Gate.</summary>
/// <param name="held">The held notifications.</param>
internal sealed class NotificationHold(HeldNotifications held) : WheelTimer
{
    /// <summary>Ends the hold when its time is over.</summary>
    internal override void Fire(long now) => held.End(this);
}
