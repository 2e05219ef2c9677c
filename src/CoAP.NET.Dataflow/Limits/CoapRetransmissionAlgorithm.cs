namespace CoAP.NET;

/// <summary>Determines how long a Confirmable message waits for its acknowledgement before it is sent again.</summary>
/// <remarks>
/// All values send at most <see cref="CoapTransmissionParameters.MaxRetransmit"/> copies within
/// MAX_TRANSMIT_SPAN, give a message up within
/// MAX_TRANSMIT_WAIT, and keep the default lifetime of Message IDs. Measured times determine the
/// first two waits; later copies are at least as frequent as by <see cref="Rfc7252"/>, so an outage of some seconds loses nothing.
/// Measuring needs about 50 bytes per peer. Use <see cref="Fasor"/> where it pays off for other messages than blocks;
/// <c>docs/congestion.md</c> has figures.
/// </remarks>
public enum CoapRetransmissionAlgorithm : byte
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

    /// <summary>Uses round-trip times of messages that were sent once.</summary>
    /// <remarks>
    /// After a message that was sent several times, the next one first tries the short time again, and then waits as long as the previous
    /// one took (FASOR, draft-ietf-core-fasor-02).
    /// </remarks>
    Fasor,
}
