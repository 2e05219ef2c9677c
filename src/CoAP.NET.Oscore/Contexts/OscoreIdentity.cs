using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Transports;

namespace CoAP.NET.Oscore;

/// <summary>The identity of a peer with the keys of a security context: the value of <see cref="CoapPeer.Identity"/>.</summary>
/// <remarks>
/// Authorization, rate limits and observers depend on it as on an identity of DTLS, wherever the peer's messages come from.
/// </remarks>
public sealed class OscoreIdentity : ICoapPeerIdentity, IEquatable<OscoreIdentity>
{
    internal OscoreIdentity(OscoreContext context, object? owner) => (Context, Owner) = (context, owner);

    /// <summary>The security context.</summary>
    public OscoreContext Context { get; }

    /// <summary>The application's identity of the peer, if a key exchange created the context and proved it.</summary>
    /// <remarks>With EDHOC, the identity of the peer's credential. Null if only the IDs are known.</remarks>
    public object? Owner { get; }

    /// <summary>The ID of the peer, as in its requests.</summary>
    public ReadOnlyMemory<byte> Kid => Context.Parameters.RecipientId;

    /// <summary>Always null: OSCORE uses no certificate.</summary>
    public X509Certificate2? Certificate => null;

    /// <summary>Always true: the peer proved that it has the keys.</summary>
    public bool IsKnown => true;

    /// <summary>
    /// Whether two identities belong to the same peer: the same context, or the same <see cref="Owner"/>, which gets a new context with
    /// each key exchange.
    /// </summary>
    /// <param name="other">The other identity.</param>
    /// <returns>True if they do.</returns>
    public bool Equals(OscoreIdentity? other) =>
        ReferenceEquals(this, other) || (Owner is not null && other is not null && Owner.Equals(other.Owner));

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as OscoreIdentity);

    /// <inheritdoc/>
    public override int GetHashCode() => Owner?.GetHashCode() ?? base.GetHashCode();

    /// <summary>Returns the <see cref="Owner"/>, if there is one, and the ID as readable text.</summary>
    /// <remarks>With EDHOC the ID changes with each session, and the owner stays.</remarks>
    /// <returns>The text, such as <c>oscore kid=01</c> or <c>oscore owner=meter-7 kid=23</c>.</returns>
    public override string ToString()
    {
        string context = Context.Parameters.HasIdContext ? $" context={Convert.ToHexStringLower(Context.Parameters.IdContextBytes)}" : "";
        string owner = Owner is null ? "" : $" owner={CoapForeignText.LineOf(Owner.ToString())}";
        return $"oscore{owner} kid={Convert.ToHexStringLower(Kid.Span)}{context}";
    }
}
