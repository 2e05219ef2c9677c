using CoAP.NET.Channels;

namespace CoAP.NET.Messaging;

// PROBING_RATE: RFC 7252 section 4.7. What goes to a peer that does not respond keeps to an average of so many bytes a second. A peer that was heard within EXCHANGE_LIFETIME responds, and
// the first NSTART interactions have yet to find out. A group does not respond as such.
//
// A block that nobody acknowledged is five kilobytes with its copies: an average of a byte a second means an hour and a half. So that a peer that is back is noticed sooner, what is small need not wait until
// all of that is paid off, but only for EXCHANGE_LIFETIME since the last copy of anything, as long as it keeps to the average by itself. What it takes is noted as well, so that in the long run the
// average holds whatever is sent: large messages wait the longer.
internal sealed partial class MessageLayer
{
    // How many of those that wait are looked through for a small one.
    private const int ProbesLookedAt = 16;

    /// <summary>Which of the messages that wait may go first, and when; not after now when it may go.</summary>
    private static (CoapTransmission First, long Due) FirstToProbe(CoapChannel peer, SendingState sending, long now)
    {
        CoapTransmission first = sending.Waiting.First!;
        if (sending.Unheard < peer.Messaging.Times.Parameters.NStart || sending.NextProbe <= now || !IsSilent(peer, now))
        {
            return (first, long.MinValue);
        }

        long due = MayProbe(first, peer, sending);
        CoapTransmission? other = first.NextWaiting;
        for (int i = 0; i < ProbesLookedAt && due > now && other is not null; i++, other = other.NextWaiting)
        {
            if (MayProbe(other, peer, sending) is var sooner && sooner < due)
            {
                (first, due) = (other, sooner);
            }
        }

        return (first, due);
    }

    private static long MayProbe(CoapTransmission transmission, CoapChannel peer, SendingState sending)
    {
        int copies = transmission.Message.Type == CoapMessageType.Confirmable ? peer.Messaging.Times.Parameters.MaxRetransmit : 0;
        long own = ProbingTimeOf(peer, transmission.Message.SizeBound * (1 + copies));
        return Math.Min(sending.NextProbe, sending.LastProbe + Math.Max(peer.Messaging.Times.ExchangeLifetime, own));
    }

    private static bool IsSilent(CoapChannel peer, long now) =>
        peer.Messaging.Times.TicksPerByte > 0
        && !(peer.Messaging.LastHeard != long.MinValue && now - peer.Messaging.LastHeard < peer.Messaging.Times.ExchangeLifetime)
        && !peer.Remote.IsMulticast;

    /// <summary>Notes what was sent to a peer that does not respond; every copy counts.</summary>
    private static void Charge(CoapChannel peer, int bytes, long now)
    {
        if (peer.Messaging.Sending is { } sending && IsSilent(peer, now))
        {
            sending.NextProbe = Math.Max(sending.NextProbe, now) + ProbingTimeOf(peer, bytes);
            sending.LastProbe = now;
        }
    }

    /// <summary>Takes back what was noted of a message that never left.</summary>
    private static void Uncharge(CoapTransmission transmission, int bytes, long now)
    {
        if (transmission.Channel is { Messaging.Sending: { } sending } peer && IsSilent(peer, now) && sending.NextProbe >= now)
        {
            sending.NextProbe -= ProbingTimeOf(peer, bytes);
            sending.Unheard -= transmission.CountsForNStart && sending.Unheard > 0 ? 1 : 0;
        }
    }

    private static long ProbingTimeOf(CoapChannel peer, long bytes) => (long)Math.Min(bytes * peer.Messaging.Times.TicksPerByte, TimeSpan.TicksPerDay * 365d);
}
