namespace CoAP.NET.Shard;

/// <summary>
/// Who has transmissions whose message may change until it leaves, such as an observer of a resource that changed meanwhile (RFC 7641 section 4.5.2).
/// Asked under the shard's lock; it must not call back into Messaging.
/// </summary>
internal interface ITransmissionSource
{
    /// <summary>Asked before a Confirmable message is sent, first or again.</summary>
    /// <returns>When to ask again, if a newer message is about to be made; not after <paramref name="now"/> when it may go.</returns>
    long MayBeTakenAt(CoapTransmission transmission, long now);

    /// <summary>The message to send now.</summary>
    /// <returns>The message of the transmission when there is no newer one; null when nothing is to be sent any more.</returns>
    CoapMessage? Take(CoapTransmission transmission, long now);
}
