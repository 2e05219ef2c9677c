namespace CoAP.NET.Observing;

/// <summary>The registration of an earlier process that an observation takes over.</summary>
/// <param name="Channel">The peer.</param>
/// <param name="Token">Its token.</param>
/// <param name="Heard">The last notification; null if the endpoint must register, with the token.</param>
internal sealed record AdoptedRegistration(CoapChannel Channel, CoapToken Token, CoapHeardNotification? Heard);
