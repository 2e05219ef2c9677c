namespace CoAP.NET.Edhoc;

/// <summary>The identity that a peer claims, before verification.</summary>
/// <param name="CredentialId">The identification of its credential.</param>
/// <param name="Ead">The external authorization data of the message, with labels that the application knows. Not authenticated yet.</param>
public sealed record EdhocClaim(EdhocCredentialId CredentialId, IReadOnlyList<EdhocEad> Ead);
