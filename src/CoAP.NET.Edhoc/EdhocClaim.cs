namespace CoAP.NET.Edhoc;

/// <summary>The identity that a peer claims, before verification, and the peer that this side expects.</summary>
/// <param name="CredentialId">The identification of its credential.</param>
/// <param name="Ead">The external authorization data of the message, with labels that the application knows. Not authenticated yet.</param>
/// <remarks>
/// <see cref="EdhocClient"/> and <see cref="EdhocServer"/> set the properties. Code that uses <see cref="EdhocInitiator"/> or
/// <see cref="EdhocResponder"/> sets them by itself: <c>claim with { Role = ..., Target = ... }</c>.
/// </remarks>
public sealed record EdhocClaim(EdhocCredentialId CredentialId, IReadOnlyList<EdhocEad> Ead)
{
    /// <summary>The role of the peer in CoAP. Default null: unknown.</summary>
    public EdhocPeerRole? Role { get; init; }

    /// <summary>The URI that this side addressed, if the peer is a server. Default null.</summary>
    public CoapUri? Target { get; init; }

    /// <summary>
    /// The peer that this side expects: the <see cref="EdhocCredential.Identity"/> of its credential, the <see cref="EdhocCredential"/>
    /// itself, or, for certificates of issuers, the name that the certificate has to carry in place of the host of <see cref="Target"/>.
    /// </summary>
    /// <remarks>Default null: none is set. See <see cref="EdhocClientOptions.ExpectServer"/>.</remarks>
    public object? Expected { get; init; }
}
