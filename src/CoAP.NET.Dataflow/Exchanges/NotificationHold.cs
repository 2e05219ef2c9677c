namespace CoAP.NET.Exchanges;

/// <summary>How long the notifications of a shard are held that nobody waits for. Guarded by Shard.Gate.</summary>
/// <param name="held">Those that are held.</param>
internal sealed class NotificationHold(HeldNotifications held) : WheelTimer
{
    /// <summary>Nobody ended it in time.</summary>
    internal override void Fire(long now) => held.End(this);
}
