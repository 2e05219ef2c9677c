using CoAP.NET.Channels;
using CoAP.NET.Messaging;

namespace CoAP.NET.Observing;

// How fast a peer is sent notifications: RFC 7641 section 4.5.1. Confirmable ones have their pace from the acknowledgements. Non-confirmable ones go once in a round-trip time, which
// nothing but a Confirmable one tells: so when one had to wait because that time is not known, it goes Confirmable itself.
internal sealed partial class ObserverLayer
{
    // When the round-trip time is not known.
    private static readonly long s_nonConfirmablePace = TimeSpan.FromSeconds(3).Ticks;

    // How long nothing need be acknowledged for a faster pace: whoever is gone, or behind a network that became slow, must not be sent that many for a day. It is also the time
    // between two attempts, as a peer whose acknowledgements always come late never tells its round-trip time.
    private static readonly long s_roundTripLife = TimeSpan.FromMinutes(1).Ticks;

    private bool MayBeSent(Observer observer, long now, ref long due)
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
                long turn = peer.LastPaced + (RoundTripTo(peer) ?? s_nonConfirmablePace);
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

    // On a connection all are such that one hears when they have left.
    private bool MustBeConfirmable(Observer observer, long now) =>
        observer.Channel.IsReliable
        || observer.Subject.Settings.Mode == CoapNotificationMode.Confirmable
        || now >= observer.ConfirmableFrom
        || (!observer.Channel.IsVerified && observer.Peer.Unacknowledged >= _limits.MaxUnacknowledgedNotifications)
        || IsProbe(observer, now);

    /// <summary>Whether a notification goes Confirmable for the sake of its round-trip time. Never beside another one that is outstanding, which tells as much.</summary>
    private static bool IsProbe(Observer observer, long now)
    {
        PeerObservers peer = observer.Peer;
        if (!observer.Subject.Settings.Probes || peer.Outstanding > 0 || now < peer.NextProbe)
        {
            return false;
        }

        long since = now - peer.LastPaced;
        return RoundTripTo(peer) is { } roundTrip ? since >= roundTrip && since < s_nonConfirmablePace : since >= s_nonConfirmablePace && peer.IsHeldBack;
    }

    private static void NotePaced(Observer observer, bool isConfirmable, long now)
    {
        if (observer.Subject.Settings.Mode == CoapNotificationMode.NonConfirmable)
        {
            PeerObservers peer = observer.Peer;
            peer.LastPaced = now;
            peer.IsHeldBack = false;
            peer.NextProbe = isConfirmable ? now + s_roundTripLife : peer.NextProbe;
        }
    }

    private static long? RoundTripTo(PeerObservers peer) => MessageLayer.RttOf(peer.Channel)?.Ticks;
}
