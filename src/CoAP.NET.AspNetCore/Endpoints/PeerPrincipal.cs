using System.Security.Claims;
using System.Security.Cryptography.X509Certificates;
using System.Security.Principal;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Converts the identity of a CoAP client to an ASP.NET Core user.</summary>
internal static class PeerPrincipal
{
    /// <summary>Returns the user; an unauthenticated one for an unauthenticated client.</summary>
    public static ClaimsPrincipal Of(CoapRequestContext request) =>
        !request.Peer.IsKnown ? new ClaimsPrincipal(new ClaimsIdentity())
        : request.Peer.Identity switch
        {
            // The user belongs to the whole connection, but claims transformations change that of a request.
            CoapUserPeerIdentity { User: var user } => user.Clone(),
            { Certificate: { } certificate, Id: { Method: CoapPeerId.CertificateMethod } id } =>
                Make(id, certificate.GetNameInfo(X509NameType.SimpleName, forIssuer: false), ClaimsOf(certificate)),
            _ => Make(request.Peer.Id, request.Peer.Id?.Value, []),
        };

    /// <summary>Returns the client certificate; null for none.</summary>
    public static X509Certificate2? CertificateOf(CoapRequestContext request) =>
        request.Peer.Identity?.Certificate;

    private static List<Claim> ClaimsOf(X509Certificate2 certificate)
    {
        List<Claim> claims =
        [
            new(ClaimTypes.X500DistinguishedName, certificate.Subject),
            new(ClaimTypes.Thumbprint, certificate.Thumbprint),
            new(ClaimTypes.SerialNumber, certificate.SerialNumber),
        ];
        foreach (X509SubjectAlternativeNameExtension names in certificate.Extensions.OfType<X509SubjectAlternativeNameExtension>())
        {
            claims.AddRange(names.EnumerateDnsNames().Select(static name => new Claim(ClaimTypes.Dns, name)));
        }

        return claims;
    }

    private static ClaimsPrincipal Make(CoapPeerId? id, string? name, List<Claim> claims)
    {
        if (id is not null)
        {
            claims.Add(new Claim(ClaimTypes.NameIdentifier, id.ToString()));
            claims.Add(new Claim(ClaimTypes.Name, name ?? ""));
            claims.Add(new Claim(ClaimTypes.AuthenticationMethod, id.Method));
        }

        return new ClaimsPrincipal(new ClaimsIdentity(claims, CoapAuthenticationDefaults.AuthenticationScheme));
    }
}
