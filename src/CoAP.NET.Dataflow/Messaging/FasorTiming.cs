namespace CoAP.NET.Messaging;

/// <summary>
/// Fast-Slow retransmission timeout (draft-ietf-core-fasor-02 section 4): the timeout of RFC 6298 from unambiguous samples. After messages
/// with retransmissions it also waits once as long as those took in total, so that unneeded copies leave the network before the next
/// message is measured. Times are in units of 100 ns. Guarded by the shard's lock.
/// </summary>
internal sealed class FasorTiming
{
    /// <summary>The longest retransmission timeout; RFC 6298 section 2 and RFC 8961 section 4 allow none below 60 s.</summary>
    public const long LongestTimeout = 60 * TimeSpan.TicksPerSecond;

    private const int K = 4;

    private long _newsAt = long.MinValue;

    public FasorSeries Series { get; private set; }

    /// <summary>Slow RTO: one and a half times the duration of the last message with retransmissions.</summary>
    public long SlowTimeout { get; private set; }

    /// <summary>Returns the wait after the first transmission of a message.</summary>
    /// <param name="transmission">The message.</param>
    /// <param name="times">The parameters of the peer.</param>
    /// <param name="roundTrip">The round-trip time of messages that were sent once.</param>
    /// <param name="dither">A random factor from 1 up to ACK_RANDOM_FACTOR.</param>
    /// <param name="now">The current time.</param>
    public long FirstWait(CoapTransmission transmission, TransmissionTimes times, in RoundTripEstimate roundTrip, double dither, long now)
    {
        if (IsStale(times, now))
        {
            Series = FasorSeries.Fast;
        }

        transmission.BackOff = (byte)Series;
        long fast = FastTimeout(times, roundTrip, now);
        return Dithered(Series == FasorSeries.SlowFast ? Math.Max(SlowTimeout, fast) : fast, dither);
    }

    /// <summary>
    /// Returns the wait after a further copy of a message; <see cref="CoapTransmission.Timeout"/> is the wait that ended,
    /// <see cref="CoapTransmission.Attempts"/> counts the copy.
    /// </summary>
    public long NextWait(CoapTransmission transmission, TransmissionTimes times, in RoundTripEstimate roundTrip, double dither, long now)
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

    /// <summary>
    /// Returns the timeout without any back-off: the minimum to which a wait may be shortened so that all copies find room within
    /// MAX_TRANSMIT_SPAN.
    /// </summary>
    public long FastTimeout(TransmissionTimes times, in RoundTripEstimate roundTrip, long now) =>
        !roundTrip.HasSample
            ? times.AckTimeout
            : Math.Min(LongestTimeout, Math.Max(roundTrip.Timeout(K), IsStale(times, now) ? times.AckTimeout : times.ShortestTimeout));

    /// <summary>Handles an acknowledged or rejected message.</summary>
    /// <param name="elapsed">The time since its first transmission.</param>
    /// <param name="retransmissions">The number of further copies.</param>
    /// <param name="now">The current time.</param>
    public void OnAnswered(long elapsed, int retransmissions, long now)
    {
        if (retransmissions > 0)
        {
            OnUnanswered(elapsed, now);
            return;
        }

        Series = FasorSeries.Fast;
        _newsAt = now;
    }

    /// <summary>
    /// Handles a retransmitted message that ended without an acknowledgement: given up, cancelled, or answered otherwise.
    /// </summary>
    /// <param name="elapsed">The time since its first transmission.</param>
    /// <param name="now">The current time.</param>
    public void OnUnanswered(long elapsed, long now)
    {
        SlowTimeout = Math.Min(elapsed * 3 / 2, LongestTimeout);
        Series = Series == FasorSeries.Fast ? FasorSeries.FastSlowFast : FasorSeries.SlowFast;
        _newsAt = now;
    }

    private static long Dithered(long wait, double dither) => (long)(wait * dither);

    // The path may have changed since the last sample; keep the larger estimate.
    private bool IsStale(TransmissionTimes times, long now) => _newsAt != long.MinValue && now - _newsAt > times.ExchangeLifetime;
}

/// <summary>
/// The series of timeouts of a message (draft-ietf-core-fasor-02 section 4.3). The fast timeout comes from samples, the slow one from the
/// duration of the previous message.
/// </summary>
internal enum FasorSeries : byte
{
    /// <summary>Fast, doubled each time. After a message that was sent once.</summary>
    Fast,

    /// <summary>Fast, slow, then fast doubled. After a message of <see cref="Fast"/> that was sent several times.</summary>
    FastSlowFast,

    /// <summary>Slow, then fast doubled. After any other message that was sent several times.</summary>
    SlowFast,
}
