namespace CoAP.NET;

/// <summary>Determines how long a Confirmable message waits for its acknowledgement before it is sent again.</summary>
/// <remarks>
/// All values send at most <see cref="CoapTransmissionParameters.MaxRetransmit"/> copies within
/// <see cref="CoapTransmissionParameters.MaxTransmitSpan"/>, give a message up within
/// <see cref="CoapTransmissionParameters.MaxTransmitWait"/>, and keep the default lifetime of Message IDs. The measuring values determine
/// the first two waits; later copies are at least as frequent as by default, so an outage of some seconds loses nothing. They need about 50
/// bytes per peer. <c>docs/congestion.md</c> compares them; use <see cref="Fasor"/> where measuring pays off
/// for other messages than blocks.
/// </remarks>
public enum CoapRetransmissionTiming : byte
{
    /// <summary>
    /// Uses <see cref="Fasor"/> for the blocks of a body after the first one (RFC 7959), and <see cref="Rfc7252"/> for all other messages.
    /// </summary>
    /// <remarks>
    /// A body has many messages to the same peer, so measuring pays off, and a lost block costs a few round trips instead of seconds.
    /// </remarks>
    Default,

    /// <summary>
    /// Uses <see cref="CoapTransmissionParameters.AckTimeout"/>, doubled for each copy, independent of the network, for all messages (RFC
    /// 7252 section 4.2).
    /// </summary>
    Rfc7252,

    /// <summary>
    /// Uses round-trip times of messages with and without retransmissions, a back-off that depends on them, and ageing (CoCoA,
    /// draft-ietf-core-cocoa-03).
    /// </summary>
    /// <remarks>The times of retransmitted messages are ambiguous, which RFC 8085 and RFC 8961 do not allow.</remarks>
    Cocoa,

    /// <summary>
    /// Uses round-trip times of messages that were sent once, as TCP does (RFC 6298), and keeps its back-off until there is such a time
    /// again (RFC 8961).
    /// </summary>
    /// <remarks>
    /// The most conservative value on congested paths. On links that lose a third of all datagrams for other reasons it gives up about
    /// twice as many messages as the others, because not all copies fit into the span.
    /// </remarks>
    Rfc8961,

    /// <summary>Uses round-trip times of messages that were sent once.</summary>
    /// <remarks>
    /// After a message that was sent several times, the next one first tries the short time again, and then waits as long as the previous
    /// one took (FASOR, draft-ietf-core-fasor-02).
    /// </remarks>
    Fasor,
}
