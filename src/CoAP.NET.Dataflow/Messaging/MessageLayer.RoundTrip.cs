using CoAP.NET.Channels;

namespace CoAP.NET.Messaging;

// How long a peer takes to acknowledge or reject messages of ours, and how long these wait for it: RFC 7252 section 4.2, and what section 4.7 calls advanced congestion control.
internal sealed partial class MessageLayer
{
    /// <summary>The smoothed round-trip time to a peer, from Confirmable messages of ours that were sent once and answered; null without one.</summary>
    public static TimeSpan? RttOf(CoapChannel channel) =>
        (channel.MessagingState as MessagingState)?.Sending is { RoundTrip: { HasSample: true } roundTrip } ? TimeSpan.FromTicks(roundTrip.Smoothed) : null;

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

        // However long the time-out has become: one copy must find room within MAX_TRANSMIT_SPAN, or nothing that is lost would ever arrive.
        long longest = times.Parameters.MaxRetransmit > 0 ? times.MaxTransmitSpan : times.MaxTransmitWait;
        return Math.Min(Math.Max(wait, times.ShortestWait(0)), longest);
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
        return Math.Min(now + wait, Math.Max(now + times.ShortestTimeout, transmission.SentAt + times.MaxTransmitWait));
    }

    /// <summary>
    /// Whether a further copy would leave after MAX_TRANSMIT_SPAN. EXCHANGE_LIFETIME, and with it the life of the Message ID, counts on the last one being earlier (RFC 7252
    /// section 4.8.2). By default the waits are such that none is later.
    /// </summary>
    private static bool IsPastSpan(CoapTransmission transmission, PeerTimes times) =>
        times.Timing != CoapRetransmissionTiming.Default && transmission.Due - transmission.SentAt > times.MaxTransmitSpan;

    /// <summary>A message of ours was acknowledged or rejected.</summary>
    private static void OnAnswered(CoapTransmission transmission, MessagingState state, long now)
    {
        // A Non-confirmable message is rejected when somebody gets around to it.
        if (transmission.Message.Type != CoapMessageType.Confirmable || state.Sending is not { } sending)
        {
            return;
        }

        long elapsed = Math.Max(0, now - transmission.SentAt);
        if (transmission.Attempts == 1)
        {
            // After a retransmission nobody knows which copy was answered (Karn's rule).
            sending.RoundTrip.Add(elapsed);
        }

        sending.Timing?.OnAnswered(elapsed, transmission.Attempts - 1, state.Times, sending.RoundTrip, now);
    }

    /// <summary>A message of ours ends without an acknowledgement. Its wait tells something only when it was sent again.</summary>
    private static void OnUnanswered(CoapTransmission transmission, MessagingState state, long now)
    {
        if (transmission.Attempts > 1)
        {
            state.Sending?.Timing?.OnUnanswered(now - transmission.SentAt, now);
        }
    }

    private double NextDither(PeerTimes times) => 1 + ((times.Parameters.AckRandomFactor - 1) * NextJitter());
}
