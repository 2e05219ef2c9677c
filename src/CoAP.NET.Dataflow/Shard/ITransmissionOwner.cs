namespace CoAP.NET.Shard;

/// <summary>
/// The requester of a message: a client request or ping, a standing request, an observer, or the blocks of a body. It gets the outcome of
/// the message, and may have a newer one by the time the message leaves.
/// </summary>
internal interface ITransmissionOwner
{
    /// <summary>
    /// Handles an outcome of the message. No lock is held. It arrives through the link MessagingToExchanges, like responses.
    /// </summary>
    void OnTransmissionEnd(CoapTransmission transmission, CoapInboundKind fate);

    /// <summary>Handles a message that could not be sent because its connection has ended. No lock is held.</summary>
    void OnDisconnected(CoapTransmission transmission, CoapConnectionException reason)
    {
    }

    /// <summary>Handles the result of <see cref="CoapShard.Send"/>: the message was offered to Messaging. No lock is held.</summary>
    /// <param name="transmission">The message.</param>
    /// <param name="isTaken">
    /// Whether no block declined it. Messaging does not know declined messages and reports nothing about them.
    /// </param>
    void OnOffered(CoapTransmission transmission, bool isTaken)
    {
    }

    /// <summary>
    /// Returns when a renewable Confirmable message (<see cref="CoapTransmission.IsRenewable"/>) may leave, first or again. Called under
    /// the shard's lock; must not call back into Messaging.
    /// </summary>
    /// <param name="transmission">The message.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <returns>
    /// When to ask again, if a newer message is about to be created (RFC 7641 section 4.5.2); not after <paramref name="now"/> when it may
    /// leave.
    /// </returns>
    long MayLeaveAt(CoapTransmission transmission, long now) => long.MinValue;

    /// <summary>
    /// Returns the message to send now, for a renewable one (<see cref="CoapTransmission.IsRenewable"/>). Called like
    /// <see cref="MayLeaveAt"/>.
    /// </summary>
    /// <param name="transmission">The message.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <returns>The message of the transmission when there is no newer one; null when there is nothing to send any more.</returns>
    CoapMessage? GetNewest(CoapTransmission transmission, long now) => transmission.Message;
}
