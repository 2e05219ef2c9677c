namespace CoAP.NET.Edhoc;

/// <summary>The identity that a peer claims, before verification, and the peer that this side expects.</summary>
/// <remarks><see cref="EdhocClient"/> and <see cref="EdhocServer"/> set the properties.</remarks>
public sealed class EdhocClaimedPeerIdentity
{
    internal EdhocClaimedPeerIdentity(EdhocCredentialId credentialId, IReadOnlyList<EdhocEad> ead)
    {
        CredentialId = credentialId;
        Ead = ead;
    }

    /// <summary>The identification of its credential.</summary>
    public EdhocCredentialId CredentialId { get; }

    /// <summary>Whether the peer is a server in CoAP; false for a client. Default null: unknown.</summary>
    public bool? IsServer { get; internal init; }

    /// <summary>The URI that this side addressed, if the peer is a server. Default null.</summary>
    public CoapUri? Target { get; internal init; }

    /// <summary>
    /// The peer that this side expects: the <see cref="EdhocCredential.Identity"/> of its credential, the <see cref="EdhocCredential"/>
    /// itself, or, for certificates of issuers, the name that the certificate has to carry in place of the host of <see cref="Target"/>.
    /// </summary>
    /// <remarks>Default null: none is set. See <see cref="EdhocClientOptions.ExpectServer(CoapUri, object)"/>.</remarks>
    public object? Expected { get; internal init; }

    /// <summary>
    /// The external authorization data of the message, with labels that the application knows. Not authenticated yet.
    /// </summary>
    internal IReadOnlyList<EdhocEad> Ead { get; }
}
