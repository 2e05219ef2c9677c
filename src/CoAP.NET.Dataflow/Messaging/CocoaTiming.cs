namespace CoAP.NET.Messaging;

/// <summary>
/// CoAP Simple Congestion Control/Advanced (draft-ietf-core-cocoa-03 section 4): a strong estimator for messages sent once, a weak one for
/// messages with up to two retransmissions, a moving average of both, a variable back-off factor, and ageing.
/// </summary>
internal sealed class CocoaTiming : PeerTiming
{
    private const long LongestBackOff = 32 * TimeSpan.TicksPerSecond;
    private const long Short = TimeSpan.TicksPerSecond;
    private const long Long = 3 * TimeSpan.TicksPerSecond;
    private const int StrongK = 4;
    private const int WeakK = 1;
    private const int MaxRetransmissionsOfWeak = 2;

    private RoundTripEstimate _weak;
    private long _updatedAt;

    public override CoapRetransmissionTiming Kind => CoapRetransmissionTiming.Cocoa;

    /// <summary>The overall estimate of the retransmission timeout; 0 without a measurement.</summary>
    public long Timeout { get; private set; }

    public override long FirstWait(CoapTransmission transmission, PeerTimes times, in RoundTripEstimate roundTrip, int interactions,
        double dither, long now)
    {
        if (Timeout == 0)
        {
            // Without a measurement, each further parallel message waits ACK_TIMEOUT longer.
            return Dithered(Math.Min(times.AckTimeout * Math.Max(1, interactions), Math.Max(LongestBackOff, times.AckTimeout)), dither);
        }

        Age(now);
        return Dithered(Timeout, dither);
    }

    public override long NextWait(CoapTransmission transmission, PeerTimes times, in RoundTripEstimate roundTrip, double dither, long now)
    {
        // Short timeouts grow faster, so they do not spend all copies before the peer would acknowledge. Long ones grow slower, so all
        // copies find room.
        long wait = transmission.Timeout;
        long next = wait < Short ? wait * 3 : wait > Long ? wait * 3 / 2 : wait * 2;
        return Math.Max(wait, Math.Min(next, LongestBackOff));
    }

    public override long Squeezed(PeerTimes times, in RoundTripEstimate roundTrip, long now) => Timeout == 0 ? times.AckTimeout : Timeout;

    public override void OnAnswered(long elapsed, int retransmissions, PeerTimes times, in RoundTripEstimate roundTrip, long now)
    {
        long before = Timeout == 0 ? times.AckTimeout : Timeout;
        if (retransmissions == 0)
        {
            before += (roundTrip.Timeout(StrongK) - before) / 2;
        }
        else if (retransmissions <= MaxRetransmissionsOfWeak)
        {
            _weak.Add(elapsed);
            before += (_weak.Timeout(WeakK) - before) / 4;
        }
        else
        {
            return;
        }

        Timeout = Math.Min(before, LongestTimeout);
        _updatedAt = now;
    }

    public override void OnUnanswered(long elapsed, long now)
    {
        // Nothing was measured, and a back-off does not outlive its message.
    }

    private void Age(long now)
    {
        while (true)
        {
            long patience = Timeout < Short ? 16 * Timeout : Timeout > Long ? 4 * Timeout : long.MaxValue;
            if (now - _updatedAt <= patience)
            {
                return;
            }

            _updatedAt += patience;
            Timeout = Timeout < Short ? 2 * Timeout : Short + (Timeout / 2);
        }
    }
}
