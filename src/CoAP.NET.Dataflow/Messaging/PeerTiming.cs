namespace CoAP.NET.Messaging;

/// <summary>
/// The congestion state of the path to one peer, besides its round-trip time; determines how long Confirmable messages wait for their
/// acknowledgement. Times are in units of 100 ns. Guarded by the shard's lock.
/// </summary>
internal abstract class PeerTiming
{
    /// <summary>The longest retransmission timeout; RFC 6298 section 2 and RFC 8961 section 4 allow none below 60 s.</summary>
    public const long LongestTimeout = 60 * TimeSpan.TicksPerSecond;

    public abstract CoapRetransmissionTiming Kind { get; }

    public static PeerTiming Create(CoapRetransmissionTiming kind) => kind switch
    {
        CoapRetransmissionTiming.Cocoa => new CocoaTiming(),
        CoapRetransmissionTiming.Fasor => new FasorTiming(),
        _ => new Rfc8961Timing(),
    };

    /// <summary>Returns the wait after the first transmission of a message.</summary>
    /// <param name="transmission">The message.</param>
    /// <param name="times">The parameters of the peer.</param>
    /// <param name="roundTrip">The round-trip time of messages that were sent once.</param>
    /// <param name="interactions">The number of outstanding messages to the peer, including this one.</param>
    /// <param name="dither">A random factor from 1 up to ACK_RANDOM_FACTOR.</param>
    /// <param name="now">The current time.</param>
    public abstract long FirstWait(CoapTransmission transmission, PeerTimes times, in RoundTripEstimate roundTrip, int interactions,
        double dither, long now);

    /// <summary>
    /// Returns the wait after a further copy of a message; <see cref="CoapTransmission.Timeout"/> is the wait that ended,
    /// <see cref="CoapTransmission.Attempts"/> counts the copy.
    /// </summary>
    public abstract long NextWait(CoapTransmission transmission, PeerTimes times, in RoundTripEstimate roundTrip, double dither, long now);

    /// <summary>
    /// Returns the minimum to which a wait may be shortened so that all copies find room within MAX_TRANSMIT_SPAN: the timeout without any
    /// back-off.
    /// </summary>
    public abstract long Squeezed(PeerTimes times, in RoundTripEstimate roundTrip, long now);

    /// <summary>Handles an acknowledged or rejected message.</summary>
    /// <param name="elapsed">The time since its first transmission.</param>
    /// <param name="retransmissions">The number of further copies.</param>
    /// <param name="times">The parameters of the peer.</param>
    /// <param name="roundTrip">The round-trip time, including this sample if there were no retransmissions.</param>
    /// <param name="now">The current time.</param>
    public abstract void OnAnswered(long elapsed, int retransmissions, PeerTimes times, in RoundTripEstimate roundTrip, long now);

    /// <summary>
    /// Handles a retransmitted message that ended without an acknowledgement: given up, cancelled, or answered otherwise.
    /// </summary>
    /// <param name="elapsed">The time since its first transmission.</param>
    /// <param name="now">The current time.</param>
    public abstract void OnUnanswered(long elapsed, long now);

    protected static long Dithered(long wait, double dither) => (long)(wait * dither);
}
