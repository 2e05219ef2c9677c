namespace CoAP.NET.Observing;

/// <summary>The registration of a process before that an observation goes on with.</summary>
/// <param name="Channel">The peer.</param>
/// <param name="Token">Its token.</param>
/// <param name="Heard">What was heard last; null when the registration has to be made, with the token.</param>
internal sealed record AdoptedRegistration(CoapChannel Channel, CoapToken Token, CoapHeardNotification? Heard);
