using System.Security.Claims;

namespace CoAP.NET.AspNetCore;

/// <summary>Names of the authentication of CoAP clients and the claims of their <c>HttpContext.User</c>.</summary>
/// <remarks>
/// The claim <see cref="ClaimTypes.AuthenticationMethod"/> is one of these methods:
/// <list type="bullet">
/// <item><see cref="Psk"/>: the identity of the key is <see cref="ClaimTypes.NameIdentifier"/> and <see cref="ClaimTypes.Name"/>.</item>
/// <item><see cref="Certificate"/>: its SHA-256 is <see cref="ClaimTypes.NameIdentifier"/>, the common name is
/// <see cref="ClaimTypes.Name"/>; the other claims are <see cref="ClaimTypes.X500DistinguishedName"/>, <see cref="ClaimTypes.Dns"/>,
/// <see cref="ClaimTypes.Thumbprint"/> and <see cref="ClaimTypes.SerialNumber"/>.</item>
/// <item><see cref="RawPublicKey"/>: its SHA-256 is <see cref="ClaimTypes.NameIdentifier"/> and <see cref="ClaimTypes.Name"/>.</item>
/// </list>
/// Check the method together with a name: a certificate may have the name of a pre-shared key. A client on a WebSocket of the web
/// application keeps the user of that connection.
/// </remarks>
public static class CoapAuthenticationDefaults
{
    /// <summary>The authentication scheme and type: <c>CoAP</c>.</summary>
    /// <remarks>Policies that name schemes must name it for endpoints that are served over CoAP.</remarks>
    public const string AuthenticationScheme = "CoAP";

    /// <summary>The method of clients with a pre-shared key: <c>psk</c>.</summary>
    public const string Psk = "psk";

    /// <summary>The method of clients with a certificate: <c>certificate</c>.</summary>
    public const string Certificate = "certificate";

    /// <summary>The method of clients with a raw public key (RFC 7250): <c>rpk</c>.</summary>
    public const string RawPublicKey = "rpk";
}
