namespace CoAP.NET.Exchanges;

/// <summary>
/// Whoever keeps a <see cref="StandingRequest"/>. Called without any lock, on the thread that brought the news, in the order in which it
/// came on that thread.
/// </summary>
internal interface IStandingOwner
{
    /// <summary>Whether the token is for the blocks of a body (RFC 9177): what comes for it are no notifications.</summary>
    bool IsTransfer => false;

    /// <summary>Whether a proxy asks for somebody else, who judges the options that are for an endpoint.</summary>
    bool IsForwarded => false;

    /// <summary>A response with the token came from the peer. It was acknowledged where that is owed.</summary>
    /// <param name="request">The request.</param>
    /// <param name="response">The response.</param>
    /// <param name="answered">The message of ours whose acknowledgement carried it; null for a message of its own.</param>
    /// <param name="isOrdered">Whether it came over a reliable transport, where the order of arrival is that of sending.</param>
    void OnResponse(StandingRequest request, CoapResponse response, CoapTransmission? answered, bool isOrdered);

    /// <summary>A response with the token came and had to be rejected (RFC 7252 section 5.4.1).</summary>
    /// <param name="request">The request.</param>
    /// <param name="error">Why.</param>
    void OnRejected(StandingRequest request, CoapException error);

    /// <summary>
    /// The connection to the peer has ended: nothing comes for the token any more (RFC 8323 section 3.4). The request is still to be
    /// closed.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="reason">Why.</param>
    void OnDisconnected(StandingRequest request, CoapConnectionException reason) => OnRejected(request, reason);

    /// <summary>What became of a message of ours that carried the token.</summary>
    /// <param name="transmission">The message.</param>
    /// <param name="fate">What became of it.</param>
    void OnTransmission(CoapTransmission transmission, CoapInboundKind fate);
}
