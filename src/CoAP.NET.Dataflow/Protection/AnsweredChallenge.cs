namespace CoAP.NET.Protection;

/// <summary>
/// Stands for a message that a hop wanted to see again with an Echo: what becomes of the second message is told of the first one, which is
/// all that its owner knows of.
/// </summary>
/// <param name="first">The first message.</param>
internal sealed class AnsweredChallenge(CoapTransmission first) : ITransmissionOwner
{
    /// <summary>The message that whoever asked for it knows.</summary>
    /// <param name="transmission">A message that was answered; null for none.</param>
    public static CoapTransmission? FirstOf(CoapTransmission? transmission) =>
        transmission?.Owner is AnsweredChallenge challenge ? challenge.First : transmission;

    /// <summary>The first message.</summary>
    public CoapTransmission First => first;

    void ITransmissionOwner.OnFate(CoapTransmission transmission, CoapInboundKind fate) => first.Owner?.OnFate(first, fate);

    void ITransmissionOwner.OnDisconnected(CoapTransmission transmission, CoapConnectionException reason) =>
        first.Owner?.OnDisconnected(first, reason);
}
