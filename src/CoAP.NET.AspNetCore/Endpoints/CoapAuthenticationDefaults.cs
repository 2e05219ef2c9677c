using System.Security.Claims;

namespace CoAP.NET.AspNetCore;

/// <summary>What <c>HttpContext.User</c> is for clients of CoAP that have proven who they are.</summary>
/// <remarks>
/// The claim <see cref="ClaimTypes.AuthenticationMethod"/> says by what: <see cref="Psk"/>, with the identity of the key as
/// <see cref="ClaimTypes.NameIdentifier"/> and <see cref="ClaimTypes.Name"/>; <see cref="Certificate"/>, with its SHA-256 as
/// <see cref="ClaimTypes.NameIdentifier"/>, the common name as <see cref="ClaimTypes.Name"/>, and
/// <see cref="ClaimTypes.X500DistinguishedName"/>, <see cref="ClaimTypes.Dns"/>, <see cref="ClaimTypes.Thumbprint"/> and
/// <see cref="ClaimTypes.SerialNumber"/>; <see cref="RawPublicKey"/>, with its SHA-256 as <see cref="ClaimTypes.NameIdentifier"/> and
/// <see cref="ClaimTypes.Name"/>. A name means nothing without the method: a certificate may have the name of a pre-shared key. Users who
/// came by a WebSocket of the web application are themselves.
/// </remarks>
public static class CoapAuthenticationDefaults
{
    /// <summary>The authentication scheme and type: <c>CoAP</c>. Policies that name schemes have to name it for endpoints that are served
    /// over CoAP.</summary>
    public const string AuthenticationScheme = "CoAP";

    /// <summary>The method of clients with a pre-shared key: <c>psk</c>.</summary>
    public const string Psk = "psk";

    /// <summary>The method of clients with a certificate: <c>certificate</c>.</summary>
    public const string Certificate = "certificate";

    /// <summary>The method of clients with a raw public key (RFC 7250): <c>rpk</c>.</summary>
    public const string RawPublicKey = "rpk";
}
