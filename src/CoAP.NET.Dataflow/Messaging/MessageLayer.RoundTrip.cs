using CoAP.NET.Channels;

namespace CoAP.NET.Messaging;

// How long a peer takes to acknowledge or reject messages of ours, and how long these wait for it: RFC 7252 section 4.2, and what section 4.7 calls advanced congestion control.
internal sealed partial class MessageLayer
{
    /// <summary>The smoothed round-trip time to a peer, from Confirmable messages of ours that were sent once and answered; null without one.</summary>
    public static TimeSpan? RttOf(CoapChannel channel) =>
        channel.Messaging.Sending is { RoundTrip: { HasSample: true } roundTrip } ? TimeSpan.FromTicks(roundTrip.Smoothed) : null;

    private long FirstWait(CoapTransmission transmission, PeerTimes times, SendingState sending, long now)
    {
        if (times.Timing == CoapRetransmissionTiming.Default)
        {
            return times.AckTimeout + (long)(times.AckSpread * NextJitter());
        }

        if (sending.Timing?.Kind != times.Timing)
        {
            sending.Timing = PeerTiming.Create(times.Timing);
        }

        long wait = sending.Timing.FirstWait(transmission, times, sending.RoundTrip, sending.Interactions, NextDither(times), now);

        return Bounded(Math.Max(wait, times.ShortestWait(0)), 0, transmission, times, sending, now);
    }

    /// <summary>When the copy after this one is due, or the message is given up.</summary>
    private long NextDue(CoapTransmission transmission, PeerTimes times, SendingState sending, long now)
    {
        if (times.Timing == CoapRetransmissionTiming.Default || sending.Timing is not { } timing)
        {
            // Counted from when it was due, so that lateness of the clock does not add up; but copies never follow one another faster than ACK_TIMEOUT.
            transmission.Timeout *= 2;
            return Math.Max(transmission.Due + transmission.Timeout, now + times.AckTimeout);
        }

        transmission.Timeout = timing.NextWait(transmission, times, sending.RoundTrip, NextDither(times), now);
        long wait = Math.Max(transmission.Timeout, times.ShortestWait(transmission.Attempts - 1));
        return now + Bounded(wait, transmission.Attempts - 1, transmission, times, sending, now);
    }

    /// <summary>
    /// Keeps a wait within the times that RFC 7252 section 4.8.2 derives: copies leave within MAX_TRANSMIT_SPAN, and a message ends within MAX_TRANSMIT_WAIT.
    /// </summary>
    private static long Bounded(long wait, int copies, CoapTransmission transmission, PeerTimes times, SendingState sending, long now)
    {
        int left = times.Parameters.MaxRetransmit - copies;
        if (left <= 0)
        {
            return Math.Min(wait, Math.Max(times.ShortestTimeout, transmission.SentAt + times.MaxTransmitWait - now));
        }

        // However long the time-out has become: the first copy must find room, or nothing that is lost would ever arrive. The first wait leaves half of the span to the others.
        long span = transmission.SentAt + times.MaxTransmitSpan - now;
        long room = copies == 0 ? span / Math.Min(left, 2) : span / left;
        long shortest = sending.Timing!.Squeezed(times, sending.RoundTrip, now);
        wait = Math.Min(wait, Math.Max(room, shortest));
        return copies == 0 ? Math.Min(wait, span) : Math.Min(wait, transmission.SentAt + times.MaxTransmitWait - now);
    }

    /// <summary>
    /// Whether a further copy would leave after MAX_TRANSMIT_SPAN. EXCHANGE_LIFETIME, and with it the life of the Message ID, counts on the last one being earlier (RFC 7252
    /// section 4.8.2). By default the waits are such that none is later.
    /// </summary>
    private static bool IsPastSpan(CoapTransmission transmission, PeerTimes times) =>
        times.Timing != CoapRetransmissionTiming.Default && transmission.Due - transmission.SentAt > times.MaxTransmitSpan;

    /// <summary>A message of ours was acknowledged or rejected.</summary>
    private static void OnAnswered(CoapTransmission transmission, CoapChannel peer, long now)
    {
        // A Non-confirmable message is rejected when somebody gets around to it.
        if (transmission.Message.Type != CoapMessageType.Confirmable || peer.Messaging.Sending is not { } sending)
        {
            return;
        }

        long elapsed = Math.Max(0, now - transmission.SentAt);
        if (transmission.Attempts == 1)
        {
            // After a retransmission nobody knows which copy was answered (Karn's rule).
            sending.RoundTrip.Add(elapsed);
        }

        sending.Timing?.OnAnswered(elapsed, transmission.Attempts - 1, peer.Messaging.Times, sending.RoundTrip, now);
    }

    /// <summary>A message of ours ends without an acknowledgement. Its wait tells something only when it was sent again.</summary>
    private static void OnUnanswered(CoapTransmission transmission, CoapChannel peer, long now)
    {
        if (transmission.Attempts > 1)
        {
            peer.Messaging.Sending?.Timing?.OnUnanswered(now - transmission.SentAt, now);
        }
    }

    private double NextDither(PeerTimes times) => 1 + ((times.Parameters.AckRandomFactor - 1) * NextJitter());
}
