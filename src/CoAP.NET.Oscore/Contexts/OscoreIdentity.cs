using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Transports;

namespace CoAP.NET.Oscore;

/// <summary>
/// Who a peer is that has the keys of a security context: what <see cref="CoapPeer.Identity"/> gives. Authorization, rate limits and
/// observers are bound to it as to an identity of DTLS, wherever the peer's messages come from.
/// </summary>
public sealed class OscoreIdentity : ICoapPeerIdentity, IEquatable<OscoreIdentity>
{
    internal OscoreIdentity(OscoreContext context, object? owner) => (Context, Owner) = (context, owner);

    /// <summary>The security context.</summary>
    public OscoreContext Context { get; }

    /// <summary>
    /// Who the peer is for the application, where the key exchange that made the context has proven it: of EDHOC the identity of the peer's
    /// credential. Null where only the IDs are known.
    /// </summary>
    public object? Owner { get; }

    /// <summary>The ID of the peer, as its requests carry it.</summary>
    public ReadOnlyMemory<byte> Kid => Context.Parameters.RecipientId;

    /// <summary>There is none: null.</summary>
    public X509Certificate2? Certificate => null;

    /// <summary>It is: who has the keys is the peer. True.</summary>
    public bool IsKnown => true;

    /// <summary>Whether it is the same peer: the same context, or the same <see cref="Owner"/>, which gets a new context with each key
    /// exchange.</summary>
    /// <param name="other">The other one.</param>
    /// <returns>Whether it is.</returns>
    public bool Equals(OscoreIdentity? other) =>
        ReferenceEquals(this, other) || (Owner is not null && other is not null && Owner.Equals(other.Owner));

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as OscoreIdentity);

    /// <inheritdoc/>
    public override int GetHashCode() => Owner?.GetHashCode() ?? base.GetHashCode();

    /// <summary>The ID for people.</summary>
    /// <returns>The text, such as <c>oscore kid=01</c>.</returns>
    public override string ToString()
    {
        string context = Context.Parameters.HasIdContext ? $" context={Convert.ToHexStringLower(Context.Parameters.IdContextBytes)}" : "";
        return $"oscore kid={Convert.ToHexStringLower(Kid.Span)}{context}";
    }
}
