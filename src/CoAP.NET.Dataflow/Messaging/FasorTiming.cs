namespace CoAP.NET.Messaging;

/// <summary>
/// Fast-Slow retransmission time-out (draft-ietf-core-fasor-02 section 4): the time-out of RFC 6298 from unambiguous samples, and, after
/// messages that had to be sent again, one wait as long as those took in all, so that copies that were not needed leave the network before
/// the next message is judged.
/// </summary>
internal sealed class FasorTiming : PeerTiming
{
    private const int K = 4;

    private long _newsAt = long.MinValue;

    public override CoapRetransmissionTiming Kind => CoapRetransmissionTiming.Fasor;

    /// <summary>In which order the next message waits.</summary>
    public FasorSeries Series { get; private set; }

    /// <summary>Slow RTO: half as long again as the last message took that was sent several times.</summary>
    public long SlowTimeout { get; private set; }

    public override long FirstWait(CoapTransmission transmission, PeerTimes times, in RoundTripEstimate roundTrip, int interactions,
        double dither, long now)
    {
        if (IsStale(times, now))
        {
            Series = FasorSeries.Fast;
        }

        transmission.BackOff = (byte)Series;
        long fast = FastTimeout(times, roundTrip, now);
        return Dithered(Series == FasorSeries.SlowFast ? Math.Max(SlowTimeout, fast) : fast, dither);
    }

    public override long NextWait(CoapTransmission transmission, PeerTimes times, in RoundTripEstimate roundTrip, double dither, long now)
    {
        int copies = transmission.Attempts - 1;
        FasorSeries series = (FasorSeries)transmission.BackOff;
        if (series == FasorSeries.Fast)
        {
            return Math.Max(transmission.Timeout, Math.Min(transmission.Timeout * 2, LongestTimeout));
        }

        long fast = FastTimeout(times, roundTrip, now);
        long wait = series == FasorSeries.FastSlowFast && copies == 1 ? Math.Max(SlowTimeout, 2 * fast) : fast << Math.Min(copies - 1, 16);
        return Dithered(Math.Min(wait, LongestTimeout), dither);
    }

    public override long Squeezed(PeerTimes times, in RoundTripEstimate roundTrip, long now) => FastTimeout(times, roundTrip, now);

    public override void OnAnswered(long elapsed, int retransmissions, PeerTimes times, in RoundTripEstimate roundTrip, long now)
    {
        if (retransmissions > 0)
        {
            OnUnanswered(elapsed, now);
            return;
        }

        Series = FasorSeries.Fast;
        _newsAt = now;
    }

    public override void OnUnanswered(long elapsed, long now)
    {
        SlowTimeout = Math.Min(elapsed * 3 / 2, LongestTimeout);
        Series = Series == FasorSeries.Fast ? FasorSeries.FastSlowFast : FasorSeries.SlowFast;
        _newsAt = now;
    }

    private long FastTimeout(PeerTimes times, in RoundTripEstimate roundTrip, long now) =>
        !roundTrip.HasSample
            ? times.AckTimeout
            : Math.Min(LongestTimeout, Math.Max(roundTrip.Timeout(K), IsStale(times, now) ? times.AckTimeout : times.ShortestTimeout));

    // The path may be another one by now. What was long stays so.
    private bool IsStale(PeerTimes times, long now) => _newsAt != long.MinValue && now - _newsAt > times.ExchangeLifetime;
}
