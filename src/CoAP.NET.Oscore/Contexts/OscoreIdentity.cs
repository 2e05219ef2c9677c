using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Transports;

namespace CoAP.NET.Oscore;

/// <summary>
/// Who a peer is that has the keys of a security context: what <see cref="CoapPeer.Identity"/> gives. Authorization, rate limits and
/// observers are bound to it as to an identity of DTLS, wherever the peer's messages come from.
/// </summary>
public sealed class OscoreIdentity : ICoapPeerIdentity
{
    internal OscoreIdentity(OscoreContext context) => Context = context;

    /// <summary>The security context.</summary>
    public OscoreContext Context { get; }

    /// <summary>The ID of the peer, as its requests carry it.</summary>
    public ReadOnlyMemory<byte> Kid => Context.Parameters.RecipientId;

    /// <summary>There is none: null.</summary>
    public X509Certificate2? Certificate => null;

    /// <summary>It is: who has the keys is the peer. True.</summary>
    public bool IsKnown => true;

    /// <summary>The ID for people.</summary>
    /// <returns>The text, such as <c>oscore kid=01</c>.</returns>
    public override string ToString()
    {
        string context = Context.Parameters.HasIdContext ? $" context={Convert.ToHexStringLower(Context.Parameters.IdContextBytes)}" : "";
        return $"oscore kid={Convert.ToHexStringLower(Kid.Span)}{context}";
    }
}
