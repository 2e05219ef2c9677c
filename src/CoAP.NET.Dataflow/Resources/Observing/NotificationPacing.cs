using CoAP.NET.Messaging;

namespace CoAP.NET.Observing;

/// <summary>
/// Paces the notifications to a peer, and decides which of them are Confirmable: RFC 7641 section 4.5.1. Acknowledgements pace the
/// Confirmable ones. Non-confirmable ones are sent once per round-trip time, which only a Confirmable one can measure: if one had to wait
/// because that time is unknown, it becomes Confirmable itself. Called under the shard's lock.
/// </summary>
internal sealed class NotificationPacing(CoapLimits limits)
{
    /// <summary>The time between two notifications, in units of 100 ns, while the round-trip time is unknown.</summary>
    public static readonly long Pace = TimeSpan.FromSeconds(3).Ticks;

    /// <summary>The delay before another attempt if a notification could not be protected because numbers are being reserved.</summary>
    public static readonly long ProtectionPace = TimeSpan.FromMilliseconds(100).Ticks;

    /// <summary>
    /// How long a faster pace is allowed without an acknowledgement, in units of 100 ns: an unreachable peer, or one behind a network that
    /// became slow, must not get that many for a day. It is also the time between two probes, because a peer whose acknowledgements are
    /// always late never reveals its round-trip time.
    /// </summary>
    public static readonly long RoundTripLife = TimeSpan.FromMinutes(1).Ticks;

    /// <summary>Returns whether a notification may be sent to an observer now.</summary>
    /// <param name="observer">The observer.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="due">Lowered to the time when it may be sent, if that is known.</param>
    public bool MayBeSent(Observer observer, long now, ref long due)
    {
        PeerObservers peer = observer.Peer;
        long from = observer.NotBefore;
        if (!peer.Channel.IsReliable)
        {
            if (MustBeConfirmable(observer, now) && peer.Outstanding >= peer.Channel.Parameters.NStart)
            {
                // The end of the outstanding message leads back here.
                return false;
            }

            if (observer.Subject.Settings.Mode == CoapNotificationMode.NonConfirmable)
            {
                // For any type: a message that is Confirmable for another reason is not sent faster.
                long turn = peer.LastPaced + (RoundTripTo(peer) ?? Pace);
                peer.IsHeldBack |= turn > now;
                from = Math.Max(from, turn);
            }
        }

        if (from > now)
        {
            due = Math.Min(due, from);
            return false;
        }

        return true;
    }

    /// <summary>Returns whether the next notification is Confirmable. On connections all are, because their sending is reported.</summary>
    public bool MustBeConfirmable(Observer observer, long now) =>
        observer.Channel.IsReliable
        || observer.Subject.Settings.Mode == CoapNotificationMode.Confirmable
        || now >= observer.ConfirmableFrom
        || (!observer.Channel.IsVerified && observer.Peer.Unacknowledged >= limits.MaxUnacknowledgedNotifications)
        || IsProbe(observer, now);

    /// <summary>Records a sent notification.</summary>
    public static void NoteSent(Observer observer, bool isConfirmable, long now)
    {
        if (observer.Subject.Settings.Mode == CoapNotificationMode.NonConfirmable)
        {
            PeerObservers peer = observer.Peer;
            peer.LastPaced = now;
            peer.IsHeldBack = false;
            peer.NextProbe = isConfirmable ? now + RoundTripLife : peer.NextProbe;
        }
    }

    // Confirmable to measure the round-trip time. Never in addition to another outstanding one, which measures it too.
    private static bool IsProbe(Observer observer, long now)
    {
        PeerObservers peer = observer.Peer;
        if (!observer.Subject.Settings.Probes || peer.Outstanding > 0 || now < peer.NextProbe)
        {
            return false;
        }

        long since = now - peer.LastPaced;
        return RoundTripTo(peer) is { } roundTrip ? since >= roundTrip && since < Pace : since >= Pace && peer.IsHeldBack;
    }

    private static long? RoundTripTo(PeerObservers peer) => MessageLayer.RttOf(peer.Channel)?.Ticks;
}
