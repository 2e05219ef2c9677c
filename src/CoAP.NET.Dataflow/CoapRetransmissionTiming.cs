namespace CoAP.NET;

/// <summary>
/// How long a Confirmable message waits for its acknowledgement before it is sent again. What measures needs some messages to a peer before it pays, and keeps some 50 bytes for each.
/// With each of them at most <see cref="CoapTransmissionParameters.MaxRetransmit"/> copies are sent, all within <see cref="CoapTransmissionParameters.MaxTransmitSpan"/>, and Message IDs
/// live as long as by default.
/// </summary>
public enum CoapRetransmissionTiming : byte
{
    /// <summary>By <see cref="CoapTransmissionParameters.AckTimeout"/>, doubled each time, whatever the network is like (RFC 7252 section 4.2).</summary>
    Default,

    /// <summary>
    /// By round-trip times of messages with and without retransmissions, a back-off that depends on them, and ageing (CoCoA, draft-ietf-core-cocoa-03). Quick on links that
    /// lose, but not safe where retransmissions add to a queue: times of retransmitted messages are ambiguous.
    /// </summary>
    Cocoa,

    /// <summary>
    /// By round-trip times of messages that were sent once, as TCP does (RFC 6298), and a back-off that stays until there is such a time again (RFC 8961). Safe on
    /// congested paths; slow on links that lose more than a tenth of the datagrams for other reasons.
    /// </summary>
    Rfc8961,

    /// <summary>
    /// By round-trip times of messages that were sent once. After a message that was sent several times the next one tries the short time once more, and only then waits as long
    /// as the one before took (FASOR, draft-ietf-core-fasor-02).
    /// </summary>
    Fasor,
}
