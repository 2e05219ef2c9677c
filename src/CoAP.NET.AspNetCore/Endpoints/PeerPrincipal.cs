using System.Security.Claims;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Security.Principal;
using CoAP.NET.Dtls;
using CoAP.NET.Transports;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Converts the identity of a CoAP client to an ASP.NET Core user.</summary>
internal static class PeerPrincipal
{
    /// <summary>Returns the user; an unauthenticated one for an unauthenticated client.</summary>
    public static ClaimsPrincipal Of(CoapRequest request) =>
        request.Channel is null || !request.Peer.IsKnown ? new ClaimsPrincipal(new ClaimsIdentity())
        : request.Peer.Identity switch
        {
            // The user belongs to the whole connection, but claims transformations change that of a request.
            ClaimsPrincipal user => user.Clone(),
            IPrincipal user => new ClaimsPrincipal(user),
            IIdentity identity => new ClaimsPrincipal(identity),
            CoapDtlsIdentity { PskIdentity: { } psk } => Make(CoapAuthenticationDefaults.Psk, psk, psk, []),
            ICoapPeerIdentity { Certificate: { } certificate } => OfCertificate(certificate),
            CoapDtlsIdentity { PublicKey: { IsEmpty: false } key } => OfKey(key.Span),
            { } other => Make(null, other.ToString() ?? string.Empty, other.ToString() ?? string.Empty, []),
            _ => new ClaimsPrincipal(new ClaimsIdentity()),
        };

    /// <summary>Returns the client certificate; null for none.</summary>
    public static X509Certificate2? CertificateOf(CoapRequest request) =>
        (request.Channel is null ? null : request.Peer.Identity as ICoapPeerIdentity)?.Certificate;

    private static ClaimsPrincipal OfCertificate(X509Certificate2 certificate)
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

        return Make(CoapAuthenticationDefaults.Certificate, certificate.GetCertHashString(HashAlgorithmName.SHA256),
            certificate.GetNameInfo(X509NameType.SimpleName, forIssuer: false), claims);
    }

    private static ClaimsPrincipal OfKey(ReadOnlySpan<byte> key)
    {
        string hash = Convert.ToHexString(SHA256.HashData(key));
        return Make(CoapAuthenticationDefaults.RawPublicKey, hash, hash, []);
    }

    private static ClaimsPrincipal Make(string? method, string id, string name, IEnumerable<Claim> claims)
    {
        ClaimsIdentity identity = new(
            [new Claim(ClaimTypes.NameIdentifier, id), new Claim(ClaimTypes.Name, name), .. claims],
            CoapAuthenticationDefaults.AuthenticationScheme);
        if (method is not null)
        {
            identity.AddClaim(new Claim(ClaimTypes.AuthenticationMethod, method));
        }

        return new ClaimsPrincipal(identity);
    }
}
