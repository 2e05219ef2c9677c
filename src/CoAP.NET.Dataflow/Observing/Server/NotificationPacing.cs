using CoAP.NET.Messaging;

namespace CoAP.NET.Observing;

/// <summary>
/// How fast a peer is sent notifications, and which of them are Confirmable: RFC 7641 section 4.5.1. The pace of Confirmable ones is that
/// of acknowledgements. Non-confirmable ones go once in a round-trip time, which only a Confirmable one tells: when one had to wait because
/// that time is not known, it goes Confirmable itself. Called under the shard's lock.
/// </summary>
internal sealed class NotificationPacing(CoapLimits limits)
{
    /// <summary>The time between two notifications, in units of 100 ns, when the round-trip time is not known.</summary>
    public static readonly long Pace = TimeSpan.FromSeconds(3).Ticks;

    /// <summary>When one is asked for again that could not be protected, as numbers are reserved just then.</summary>
    public static readonly long ProtectionPace = TimeSpan.FromMilliseconds(100).Ticks;

    /// <summary>
    /// How long nothing need be acknowledged for a faster pace, in units of 100 ns: whoever is gone, or behind a network that became slow,
    /// must not be sent that many for a day. It is also the time
    /// between two attempts, as a peer whose acknowledgements always come late never tells its round-trip time.
    /// </summary>
    public static readonly long RoundTripLife = TimeSpan.FromMinutes(1).Ticks;

    /// <summary>Whether an observer may be sent something now.</summary>
    /// <param name="observer">The observer.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="due">Lowered to when it may be, if that is known.</param>
    public bool MayBeSent(Observer observer, long now, ref long due)
    {
        PeerObservers peer = observer.Peer;
        long from = observer.NotBefore;
        if (!peer.Channel.IsReliable)
        {
            if (MustBeConfirmable(observer, now) && peer.Outstanding >= peer.Channel.Parameters.NStart)
            {
                // The end of what is outstanding leads back here.
                return false;
            }

            if (observer.Subject.Settings.Mode == CoapNotificationMode.NonConfirmable)
            {
                // Whatever its type: one that is Confirmable for another reason follows no faster.
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

    /// <summary>Whether the next notification is Confirmable. On a connection all are such that one hears when they have left.</summary>
    public bool MustBeConfirmable(Observer observer, long now) =>
        observer.Channel.IsReliable
        || observer.Subject.Settings.Mode == CoapNotificationMode.Confirmable
        || now >= observer.ConfirmableFrom
        || (!observer.Channel.IsVerified && observer.Peer.Unacknowledged >= limits.MaxUnacknowledgedNotifications)
        || IsProbe(observer, now);

    /// <summary>A notification leaves.</summary>
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

    // Confirmable for the sake of its round-trip time. Never beside another one that is outstanding, which tells as much.
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
