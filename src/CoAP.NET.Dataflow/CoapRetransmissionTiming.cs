namespace CoAP.NET;

/// <summary>
/// How long a Confirmable message waits for its acknowledgement before it is sent again. With each of them at most
/// <see cref="CoapTransmissionParameters.MaxRetransmit"/> copies are sent, all within
/// <see cref="CoapTransmissionParameters.MaxTransmitSpan"/>; a message is given up within
/// <see cref="CoapTransmissionParameters.MaxTransmitWait"/>, and Message IDs live as long as by default. The measured ones decide about the
/// first two waits; the pace of later copies is at least that of the default, so that an outage of some seconds loses nothing. They keep
/// some 50 bytes for each peer. <c>docs/congestion.md</c> compares them; where measuring pays, <see cref="Fasor"/> is the one to take.
/// </summary>
public enum CoapRetransmissionTiming : byte
{
    /// <summary>
    /// By <see cref="CoapTransmissionParameters.AckTimeout"/>, doubled each time, whatever the network is like (RFC 7252 section 4.2).
    /// </summary>
    Default,

    /// <summary>
    /// By round-trip times of messages with and without retransmissions, a back-off that depends on them, and ageing (CoCoA,
    /// draft-ietf-core-cocoa-03). The times of retransmitted messages are ambiguous, which RFC 8085 and RFC 8961 do not allow.
    /// </summary>
    Cocoa,

    /// <summary>
    /// By round-trip times of messages that were sent once, as TCP does (RFC 6298), and a back-off that stays until there is such a time
    /// again (RFC 8961). The most careful one on congested paths; on links that lose a third of all datagrams for other reasons it gives up
    /// about twice as many messages as the others, since copies do not find room within the span.
    /// </summary>
    Rfc8961,

    /// <summary>
    /// By round-trip times of messages that were sent once. After a message that was sent several times the next one tries the short time
    /// once more, and only then waits as long as the one before took (FASOR, draft-ietf-core-fasor-02).
    /// </summary>
    Fasor,
}
