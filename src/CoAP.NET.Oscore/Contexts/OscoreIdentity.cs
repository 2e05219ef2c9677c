using System.Runtime.CompilerServices;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Oscore;

/// <summary>The identity of a peer with the keys of a security context: the value of <see cref="CoapPeer.Identity"/>.</summary>
/// <remarks>
/// Authorization, rate limits and observers depend on it as on an identity of DTLS, wherever the peer's messages come from.
/// </remarks>
public sealed class OscoreIdentity : ICoapPeerIdentity, IEquatable<OscoreIdentity>
{
    internal OscoreIdentity(OscoreContext context, object? owner)
    {
        (Context, Owner) = (context, owner);
        Id = owner switch
        {
            null => OfIds(context.Parameters),
            string name => new CoapPeerId(CoapPeerId.EdhocMethod, name),
            _ => CoapPeerId.Of(owner),
        };
    }

    /// <summary>The security context.</summary>
    public OscoreContext Context { get; }

    /// <summary>The application's identity of the peer, if a key exchange created the context and proved it.</summary>
    /// <remarks>With EDHOC, the identity of the peer's credential. Null if only the IDs are known.</remarks>
    public object? Owner { get; }

    /// <summary>The ID of the peer, as in its requests.</summary>
    public ReadOnlyMemory<byte> Kid => Context.Parameters.RecipientId;

    /// <summary>Always null: OSCORE uses no certificate.</summary>
    public X509Certificate2? Certificate => null;

    string? ICoapPeerIdentity.PskIdentity => null;

    /// <summary>
    /// Who the peer is: by <see cref="Owner"/> if a key exchange proved one, because such an exchange assigns each kid again and again;
    /// otherwise by the kid and the ID Context of the parameters.
    /// </summary>
    public CoapPeerId? Id { get; }

    /// <summary>Always true: the peer proved that it has the keys.</summary>
    public bool IsKnown => true;

    /// <summary>Whether two identities belong to the same peer: the same context, or the same <see cref="Id"/>.</summary>
    /// <param name="other">The other identity.</param>
    /// <returns>True if they do.</returns>
    public bool Equals(OscoreIdentity? other) => ReferenceEquals(this, other) || (Id is not null && Id == other?.Id);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as OscoreIdentity);

    /// <inheritdoc/>
    public override int GetHashCode() => Id?.GetHashCode() ?? RuntimeHelpers.GetHashCode(this);

    /// <summary>Returns <see cref="Id"/> as readable text.</summary>
    /// <returns>The text, such as <c>oscore:01</c> or <c>edhoc:meter-7</c>.</returns>
    public override string ToString() => CoapUntrustedText.LineOf(Id?.ToString() ?? "unknown");

    /// <summary>The ID of the peer of a context whose IDs the application assigned.</summary>
    internal static CoapPeerId OfIds(OscoreParameters parameters)
    {
        string kid = Convert.ToHexStringLower(parameters.RecipientId.Span);
        return new CoapPeerId(CoapPeerId.OscoreMethod,
            parameters.HasIdContext ? $"{kid};context={Convert.ToHexStringLower(parameters.IdContextBytes)}" : kid);
    }
}
