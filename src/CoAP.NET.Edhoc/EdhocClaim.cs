namespace CoAP.NET.Edhoc;

/// <summary>Who a peer says it is, before anything of it was verified.</summary>
/// <param name="CredentialId">What its credential is found by.</param>
/// <param name="Ead">What external authorization data came along, of the labels that the application knows. Not authenticated yet.</param>
public sealed record EdhocClaim(EdhocCredentialId CredentialId, IReadOnlyList<EdhocEad> Ead);
