namespace CoAP.NET.Exchanges;

/// <summary>
/// The owner of a <see cref="MultiResponseToken"/>. Called without any lock, on the thread that brought the message, in the order of that
/// thread.
/// </summary>
internal interface ITokenOwner
{
    /// <summary>Whether the token belongs to the blocks of a body (RFC 9177): its messages are not notifications.</summary>
    bool IsTransfer => false;

    /// <summary>Whether a proxy asks for another client, which judges the end-to-end options.</summary>
    bool IsForwarded => false;

    /// <summary>Handles a response with the token. It was acknowledged if required.</summary>
    /// <param name="request">The request.</param>
    /// <param name="response">The response.</param>
    /// <param name="answered">The sent message whose acknowledgement carried it; null for a separate message.</param>
    /// <param name="isOrdered">Whether it arrived over a reliable transport, where arrival and sending have the same order.</param>
    void OnResponse(MultiResponseToken request, CoapResponse response, CoapTransmission? answered, bool isOrdered);

    /// <summary>Handles a response with the token that had to be rejected (RFC 7252 section 5.4.1).</summary>
    void OnRejected(MultiResponseToken request, CoapException error);

    /// <summary>
    /// Handles the end of the connection: no more messages arrive for the token (RFC 8323 section 3.4). The request must still be closed.
    /// </summary>
    void OnDisconnected(MultiResponseToken request, CoapConnectionException reason) => OnRejected(request, reason);

    /// <summary>Handles the outcome of a sent message with the token.</summary>
    void OnTransmission(CoapTransmission transmission, CoapInboundKind fate);
}
