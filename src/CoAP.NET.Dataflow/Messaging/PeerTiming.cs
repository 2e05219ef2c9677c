namespace CoAP.NET.Messaging;

/// <summary>
/// What is known of the way to one peer beyond its round-trip time, and how long Confirmable messages to it wait for their acknowledgement.
/// Times are in units of 100 ns. Guarded by the shard's lock.
/// </summary>
internal abstract class PeerTiming
{
    /// <summary>The longest retransmission time-out; RFC 6298 section 2 and RFC 8961 section 4 allow none below 60 s.</summary>
    public const long LongestTimeout = 60 * TimeSpan.TicksPerSecond;

    public abstract CoapRetransmissionTiming Kind { get; }

    public static PeerTiming Create(CoapRetransmissionTiming kind) => kind switch
    {
        CoapRetransmissionTiming.Cocoa => new CocoaTiming(),
        CoapRetransmissionTiming.Fasor => new FasorTiming(),
        _ => new Rfc8961Timing(),
    };

    /// <summary>How long a message waits after it was sent first.</summary>
    /// <param name="transmission">The message.</param>
    /// <param name="times">The parameters of the peer.</param>
    /// <param name="roundTrip">The round-trip time of messages that were sent once.</param>
    /// <param name="interactions">How many messages to the peer are outstanding, with this one.</param>
    /// <param name="dither">From 1 up to ACK_RANDOM_FACTOR.</param>
    /// <param name="now">Now.</param>
    public abstract long FirstWait(CoapTransmission transmission, PeerTimes times, in RoundTripEstimate roundTrip, int interactions,
        double dither, long now);

    /// <summary>
    /// How long a message waits after a further copy of it; <see cref="CoapTransmission.Timeout"/> is the wait that ended,
    /// <see cref="CoapTransmission.Attempts"/> counts the copy.
    /// </summary>
    public abstract long NextWait(CoapTransmission transmission, PeerTimes times, in RoundTripEstimate roundTrip, double dither, long now);

    /// <summary>
    /// Down to what a wait may be shortened so that all copies find room within MAX_TRANSMIT_SPAN: the time-out as it is without any
    /// back-off.
    /// </summary>
    public abstract long Squeezed(PeerTimes times, in RoundTripEstimate roundTrip, long now);

    /// <summary>A message was acknowledged or rejected.</summary>
    /// <param name="elapsed">Since it was sent first.</param>
    /// <param name="retransmissions">How many further copies were sent.</param>
    /// <param name="times">The parameters of the peer.</param>
    /// <param name="roundTrip">The round-trip time, with this sample when there were no retransmissions.</param>
    /// <param name="now">Now.</param>
    public abstract void OnAnswered(long elapsed, int retransmissions, PeerTimes times, in RoundTripEstimate roundTrip, long now);

    /// <summary>
    /// A message that was sent several times ended without an acknowledgement: given up, cancelled, or answered otherwise.
    /// </summary>
    /// <param name="elapsed">Since it was sent first.</param>
    /// <param name="now">Now.</param>
    public abstract void OnUnanswered(long elapsed, long now);

    protected static long Dithered(long wait, double dither) => (long)(wait * dither);
}
