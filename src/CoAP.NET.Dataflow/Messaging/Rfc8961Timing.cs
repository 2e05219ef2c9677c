namespace CoAP.NET.Messaging;

/// <summary>
/// The retransmission timeout of TCP (RFC 6298) under the requirements of RFC 8961 section 4: at least a second before the first
/// measurement, only unambiguous samples (Karn's rule), and a back-off that stays until the next such sample.
/// </summary>
internal sealed class Rfc8961Timing : PeerTiming
{
    private const int K = 4;
    private const int MaxDoublings = 16;

    private long _newsAt = long.MinValue;

    public override CoapRetransmissionTiming Kind => CoapRetransmissionTiming.Rfc8961;

    /// <summary>The number of doublings of the timeout since the last sample.</summary>
    public int Doublings { get; private set; }

    /// <summary>Returns the initial timeout of the next message.</summary>
    public long Timeout(PeerTimes times, in RoundTripEstimate roundTrip, long now)
    {
        bool isStale = _newsAt != long.MinValue && now - _newsAt > times.ExchangeLifetime;
        if (isStale)
        {
            // The path may have changed since the last sample; keep the larger estimate.
            Doublings = 0;
        }

        long initial = Math.Max(times.AckTimeout, TimeSpan.TicksPerSecond);
        long timeout = roundTrip.HasSample ? Math.Max(roundTrip.Timeout(K), isStale ? initial : times.ShortestTimeout) : initial;
        return Math.Min(timeout << Doublings, LongestTimeout);
    }

    public override long FirstWait(CoapTransmission transmission, PeerTimes times, in RoundTripEstimate roundTrip, int interactions,
        double dither, long now)
    {
        long wait = Timeout(times, roundTrip, now);
        transmission.BackOff = (byte)Doublings;
        return Dithered(wait, dither);
    }

    public override long NextWait(CoapTransmission transmission, PeerTimes times, in RoundTripEstimate roundTrip, double dither, long now)
    {
        // Counted by message, because several outstanding ones may expire for the same reason.
        Doublings = Math.Min(MaxDoublings, Math.Max(Doublings, transmission.BackOff + transmission.Attempts - 1));
        _newsAt = now;
        return Math.Max(transmission.Timeout, Math.Min(transmission.Timeout * 2, LongestTimeout));
    }

    // Each timeout that detects a loss is followed by a longer one (RFC 8961 section 4, requirement 4): fewer copies instead.
    public override long Squeezed(PeerTimes times, in RoundTripEstimate roundTrip, long now) => LongestTimeout;

    public override void OnAnswered(long elapsed, int retransmissions, PeerTimes times, in RoundTripEstimate roundTrip, long now)
    {
        if (retransmissions == 0)
        {
            Doublings = 0;
            _newsAt = now;
        }
    }

    public override void OnUnanswered(long elapsed, long now)
    {
        // The back-off stays.
    }
}
