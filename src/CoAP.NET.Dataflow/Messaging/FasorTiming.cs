namespace CoAP.NET.Messaging;

/// <summary>
/// Fast-Slow retransmission timeout (draft-ietf-core-fasor-02 section 4): the timeout of RFC 6298 from unambiguous samples. After messages
/// with retransmissions it also waits once as long as those took in total, so that unneeded copies leave the network before the next
/// message is judged.
/// </summary>
internal sealed class FasorTiming : PeerTiming
{
    private const int K = 4;

    private long _newsAt = long.MinValue;

    public override CoapRetransmissionTiming Kind => CoapRetransmissionTiming.Fasor;

    /// <summary>The series of the next message.</summary>
    public FasorSeries Series { get; private set; }

    /// <summary>Slow RTO: one and a half times the duration of the last message with retransmissions.</summary>
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

    // The path may have changed since the last sample; keep the larger estimate.
    private bool IsStale(PeerTimes times, long now) => _newsAt != long.MinValue && now - _newsAt > times.ExchangeLifetime;
}
