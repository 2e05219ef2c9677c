namespace CoAP.NET.Messaging;

// How long a peer takes to acknowledge or reject sent messages, and how long these wait for it: RFC 7252 section 4.2, and the "advanced
// congestion control" of section 4.7.
//
// PROBING_RATE (RFC 7252 section 4.7): messages to a silent peer keep to an average rate in bytes per second. A peer that sent anything
// within EXCHANGE_LIFETIME is not silent. The first NSTART interactions since its last message are exempt. Groups are exempt too.
//
// An unacknowledged block is five kilobytes with its copies: with an average of one byte per second the next message would wait an hour and
// a half. To notice a returning peer sooner, small messages need not wait until all of that is paid off, but only for EXCHANGE_LIFETIME
// since the last copy of any message, as long as they keep to the average by themselves. Their bytes are charged too, so the average holds
// in the long run: large messages wait longer.

/// <summary>
/// Decides when messages leave and how long they wait, by the state of their peers. Call every method under the shard's lock.
/// </summary>
internal sealed class SendPacing
{
    // The number of waiting messages to search for a small one.
    private const int ProbesLookedAt = 16;

    // Seeded from the environment's random source, which must not be called under the lock.
    private JitterSequence _jitter;

    public SendPacing(CoapEnvironment environment) => _jitter = new JitterSequence(environment.Random.NextUInt64());

    /// <summary>
    /// Returns the smoothed round-trip time to a peer, from Confirmable messages that were sent once and answered; null without one.
    /// </summary>
    public static TimeSpan? RttOf(CoapChannel channel) =>
        channel.Messaging.Sending is { RoundTrip: { HasSample: true } roundTrip } ? TimeSpan.FromTicks(roundTrip.Smoothed) : null;

    /// <summary>Returns the minimum timeout of the first copy of a Confirmable message to a peer, without back-off.</summary>
    public static TimeSpan TimeoutOf(CoapChannel channel, long now) =>
        channel.Messaging is { Times: { } times, Sending: { Timing: { } timing } sending }
            && times.Timing == CoapRetransmissionAlgorithm.Fasor
            ? TimeSpan.FromTicks(timing.FastTimeout(times, sending.RoundTrip, now))
            : channel.Parameters.AckTimeout;

    public long FirstWait(CoapTransmission transmission, TransmissionTimes times, PeerSendingState sending, long now)
    {
        if (!IsMeasured(transmission, times))
        {
            return times.AckTimeout + (long)(times.AckSpread * _jitter.Next());
        }

        sending.Timing ??= new FasorTiming();
        long wait = sending.Timing.FirstWait(transmission, times, sending.RoundTrip, NextDither(times), now);
        return Bounded(Math.Max(wait, times.ShortestWait(0)), 0, transmission, times, sending, now);
    }

    /// <summary>Returns when the copy after this one is due, or the message is given up.</summary>
    public long NextDue(CoapTransmission transmission, TransmissionTimes times, PeerSendingState sending, long now)
    {
        if (!IsMeasured(transmission, times) || sending.Timing is not { } timing)
        {
            // Counted from its due time, so delays of the clock do not add up; but copies never follow one another faster than ACK_TIMEOUT.
            transmission.Timeout *= 2;
            return Math.Max(transmission.Due + transmission.Timeout, now + times.AckTimeout);
        }

        transmission.Timeout = timing.NextWait(transmission, times, sending.RoundTrip, NextDither(times), now);
        long wait = Math.Max(transmission.Timeout, times.ShortestWait(transmission.Attempts - 1));
        return now + Bounded(wait, transmission.Attempts - 1, transmission, times, sending, now);
    }

    /// <summary>
    /// Whether a further copy would leave after MAX_TRANSMIT_SPAN. EXCHANGE_LIFETIME, and therefore the lifetime of the Message ID,
    /// requires the last one to be earlier (RFC 7252 section 4.8.2). With the default waits none is later.
    /// </summary>
    public static bool IsPastSpan(CoapTransmission transmission, TransmissionTimes times) =>
        IsMeasured(transmission, times) && transmission.Due - transmission.SentAt > times.MaxTransmitSpan;

    /// <summary>Handles an acknowledged or rejected message.</summary>
    public static void OnAnswered(CoapTransmission transmission, CoapChannel peer, long now)
    {
        // A peer rejects a Non-confirmable message at any time, so its time is not a sample.
        if (transmission.Message.Type != CoapMessageType.Confirmable || peer.Messaging.Sending is not { } sending)
        {
            return;
        }

        long elapsed = Math.Max(0, now - transmission.SentAt);
        if (transmission.Attempts == 1)
        {
            // After a retransmission it is unknown which copy was answered (Karn's rule).
            sending.RoundTrip.Add(elapsed);
        }
        else if (!IsMeasured(transmission, peer.Messaging.Times))
        {
            // Its waits were not measured, so they say nothing about the path.
            return;
        }

        sending.Timing?.OnAnswered(elapsed, transmission.Attempts - 1, now);
    }

    /// <summary>Handles the end of a message without an acknowledgement. Its wait is a sample only if it was retransmitted.</summary>
    public static void OnUnanswered(CoapTransmission transmission, CoapChannel peer, long now)
    {
        if (transmission.Attempts > 1 && IsMeasured(transmission, peer.Messaging.Times))
        {
            peer.Messaging.Sending?.Timing?.OnUnanswered(now - transmission.SentAt, now);
        }
    }

    /// <summary>Returns the waiting message that PROBING_RATE allows first.</summary>
    public static CoapTransmission FirstToProbe(CoapChannel peer, PeerSendingState sending, long now)
    {
        CoapTransmission first = sending.Waiting.First!;
        long due = MayProbeAt(first, peer, sending, now);
        CoapTransmission? other = first.WaitingTransmissionLinks.Next;
        for (int i = 0; i < ProbesLookedAt && due > now && other is not null; i++, other = other.WaitingTransmissionLinks.Next)
        {
            if (MayProbeAt(other, peer, sending, now) is var sooner && sooner < due)
            {
                (first, due) = (other, sooner);
            }
        }

        return first;
    }

    /// <summary>Returns when PROBING_RATE allows a message (RFC 7252 section 4.7); it may leave now if that is not in the future.</summary>
    public static long MayProbeAt(CoapTransmission transmission, CoapChannel peer, PeerSendingState sending, long now)
    {
        if (sending.Unheard < peer.Messaging.Times.Parameters.NStart || sending.NextProbe <= now || !IsSilent(peer, now))
        {
            return long.MinValue;
        }

        int copies = transmission.Message.Type == CoapMessageType.Confirmable ? peer.Messaging.Times.Parameters.MaxRetransmit : 0;
        long own = ProbingTimeOf(peer, transmission.Message.SizeBound * (1 + copies));
        return Math.Min(sending.NextProbe, sending.LastProbe + Math.Max(peer.Messaging.Times.ExchangeLifetime, own));
    }

    /// <summary>Charges the bytes sent to a silent peer; every copy counts.</summary>
    public static void Charge(CoapChannel peer, int bytes, long now)
    {
        if (peer.Messaging.Sending is { } sending && IsSilent(peer, now))
        {
            sending.NextProbe = Math.Max(sending.NextProbe, now) + ProbingTimeOf(peer, bytes);
            sending.LastProbe = now;
        }
    }

    /// <summary>Reverts the charge of a message that never left, or that the peer's host refused.</summary>
    public static void Uncharge(CoapTransmission transmission, int bytes, long now)
    {
        if (transmission.Channel is { Messaging.Sending: { } sending } peer && IsSilent(peer, now) && sending.NextProbe >= now)
        {
            sending.NextProbe -= ProbingTimeOf(peer, bytes);
            sending.Unheard -= transmission.CountsForNStart && sending.Unheard > 0 ? 1 : 0;
        }
    }

    /// <summary>
    /// Keeps a wait within the times that RFC 7252 section 4.8.2 derives: copies leave within MAX_TRANSMIT_SPAN, and a message ends within
    /// MAX_TRANSMIT_WAIT.
    /// </summary>
    private static long Bounded(
        long wait, int copies, CoapTransmission transmission, TransmissionTimes times, PeerSendingState sending, long now)
    {
        int left = times.Parameters.MaxRetransmit - copies;
        if (left <= 0)
        {
            return Math.Min(wait, Math.Max(times.ShortestTimeout, transmission.SentAt + times.MaxTransmitWait - now));
        }

        // However long the timeout is: the first copy must find room, or a lost message would never arrive. The first wait leaves half of
        // the span to the others.
        long span = transmission.SentAt + times.MaxTransmitSpan - now;
        long room = copies == 0 ? span / Math.Min(left, 2) : span / left;
        long shortest = sending.Timing!.FastTimeout(times, sending.RoundTrip, now);
        wait = Math.Min(wait, Math.Max(room, shortest));
        return copies == 0 ? Math.Min(wait, span) : Math.Min(wait, transmission.SentAt + times.MaxTransmitWait - now);
    }

    // By default only the blocks of bodies are measured: there are many of them, to the same peer.
    private static bool IsMeasured(CoapTransmission transmission, TransmissionTimes times) =>
        times.Timing == CoapRetransmissionAlgorithm.Fasor || (times.Timing == CoapRetransmissionAlgorithm.Default && transmission.IsOfBody);

    private static bool IsSilent(CoapChannel peer, long now) =>
        peer.Messaging.Times.TicksPerByte > 0
        && !(peer.Messaging.LastHeard != long.MinValue && now - peer.Messaging.LastHeard < peer.Messaging.Times.ExchangeLifetime)
        && !peer.Remote.IsMulticast;

    private static long ProbingTimeOf(CoapChannel peer, long bytes) =>
        (long)Math.Min(bytes * peer.Messaging.Times.TicksPerByte, TimeSpan.TicksPerDay * 365d);

    private double NextDither(TransmissionTimes times) => 1 + ((times.Parameters.AckRandomFactor - 1) * _jitter.Next());
}
