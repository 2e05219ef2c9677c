namespace CoAP.NET.Protection;

/// <summary>
/// Stands for a message that a hop requested again with an Echo. The outcome of the second message is reported for the first one, because
/// its owner knows only that one.
/// </summary>
/// <param name="first">The first message.</param>
internal sealed class AnsweredChallenge(CoapTransmission first) : ITransmissionOwner
{
    /// <summary>Returns the message that its owner knows.</summary>
    /// <param name="transmission">A message that was answered; null for none.</param>
    public static CoapTransmission? FirstOf(CoapTransmission? transmission) =>
        transmission?.Owner is AnsweredChallenge challenge ? challenge.First : transmission;

    /// <summary>The first message.</summary>
    public CoapTransmission First => first;

    void ITransmissionOwner.OnFate(CoapTransmission transmission, CoapInboundKind fate) => first.Owner?.OnFate(first, fate);

    void ITransmissionOwner.OnDisconnected(CoapTransmission transmission, CoapConnectionException reason) =>
        first.Owner?.OnDisconnected(first, reason);
}
