using CoAP.NET.Mesh;

namespace CoAP.NET.Shard;

/// <summary>
/// Whoever asked for a message to be sent: a request or ping of ours, a standing request, an observer, blocks of a body.
/// It is told what becomes of the message, and may have a newer one by the time the message leaves.
/// </summary>
internal interface ITransmissionOwner
{
    /// <summary>Something became of the message. No lock is held; it comes through the seam MessagingToExchanges as responses do.</summary>
    /// <param name="transmission">The message.</param>
    /// <param name="fate">What became of it.</param>
    void OnFate(CoapTransmission transmission, CoapInboundKind fate);

    /// <summary>The message could not be sent any more, as its connection has ended. No lock is held.</summary>
    /// <param name="transmission">The message.</param>
    /// <param name="reason">Why the connection has ended.</param>
    void OnDisconnected(CoapTransmission transmission, CoapConnectionException reason)
    {
    }

    /// <summary>The message was offered to Messaging by <see cref="CoapShard.Send"/>. No lock is held.</summary>
    /// <param name="transmission">The message.</param>
    /// <param name="isTaken">Whether no block declined it. Of what was declined Messaging does not know, so it says nothing of it.</param>
    void OnOffered(CoapTransmission transmission, bool isTaken)
    {
    }

    /// <summary>
    /// When a Confirmable message whose <see cref="CoapTransmission.IsRenewable"/> is set may go, first or again. Asked
    /// under the shard's lock; must not call back into Messaging.
    /// </summary>
    /// <param name="transmission">The message.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <returns>When to ask again, if a newer message is about to be made (RFC 7641 section 4.5.2); not after
    /// <paramref name="now"/> when it may go.</returns>
    long MayBeTakenAt(CoapTransmission transmission, long now) => long.MinValue;

    /// <summary>
    /// The message to send now, of one whose <see cref="CoapTransmission.IsRenewable"/> is set. Asked like <see cref="MayBeTakenAt"/>.
    /// </summary>
    /// <param name="transmission">The message.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <returns>The message of the transmission when there is no newer one; null when nothing is to be sent any more.</returns>
    CoapMessage? Take(CoapTransmission transmission, long now) => transmission.Message;
}
