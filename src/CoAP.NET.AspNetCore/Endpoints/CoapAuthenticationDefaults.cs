using System.Security.Claims;

namespace CoAP.NET.AspNetCore;

/// <summary>Names of the authentication of CoAP clients and the claims of their <c>HttpContext.User</c>.</summary>
/// <remarks>
/// <see cref="ClaimTypes.NameIdentifier"/> is <see cref="CoapPeer.Id"/> as text, such as <c>psk:meter-7</c>: the same for the same client
/// over any number of sessions and restarts, and different for all others. Store data of the client under it. The claim
/// <see cref="ClaimTypes.AuthenticationMethod"/> is one of these methods, and <see cref="ClaimTypes.Name"/> is for people:
/// <list type="bullet">
/// <item><see cref="CoapPeerId.PskMethod"/>: the name is the identity of the key.</item>
/// <item><see cref="CoapPeerId.CertificateMethod"/>: the name is the common name; the other claims are
/// <see cref="ClaimTypes.X500DistinguishedName"/>, <see cref="ClaimTypes.Dns"/>, <see cref="ClaimTypes.Thumbprint"/> and
/// <see cref="ClaimTypes.SerialNumber"/>.</item>
/// <item><see cref="CoapPeerId.RawPublicKeyMethod"/>: the name is its SHA-256.</item>
/// <item><see cref="CoapPeerId.OscoreMethod"/>: the name is the kid of the security context, and its ID Context.</item>
/// <item><see cref="CoapPeerId.EdhocMethod"/>: the name is that of the credential, or its SHA-256.</item>
/// </list>
/// Check the method together with a name: a certificate may have the name of a pre-shared key. A client on a WebSocket of the web
/// application keeps the user of that connection.
/// </remarks>
public static class CoapAuthenticationDefaults
{
    /// <summary>The authentication scheme and type: <c>CoAP</c>.</summary>
    /// <remarks>Policies that name schemes must name it for endpoints that are served over CoAP.</remarks>
    public const string AuthenticationScheme = "CoAP";
}
