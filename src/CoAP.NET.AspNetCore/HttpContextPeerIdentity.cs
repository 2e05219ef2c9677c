using System.Net;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace CoAP.NET.AspNetCore;

/// <summary>Identifies the peer of a web server's connection.</summary>
internal static class HttpContextPeerIdentity
{
    /// <summary>Returns the user, otherwise the TLS identity.</summary>
    public static ICoapPeerIdentity? Of(HttpContext context, bool isSecure) =>
        context.User is { Identity.IsAuthenticated: true } user ? new CoapUserPeerIdentity(user)
        : isSecure ? Of(context.Features, context.Connection.ClientCertificate)
        : null;

    /// <summary>
    /// Returns the source of a request: an authenticated user is one of its own, because many users may come from the address of one front
    /// end.
    /// </summary>
    public static CoapQuotaSource SourceOf(HttpContext context) => CoapSourceGroupingRule.Default.Of(
        CoapAddress.FromIPEndPoint(EndPointOf(context.Connection.RemoteIpAddress, context.Connection.RemotePort)),
        Of(context, context.Request.IsHttps)?.Id);

    /// <summary>Returns the TLS identity.</summary>
    /// <param name="features">The features of the connection's handshake.</param>
    /// <param name="certificate">The certificate of the client; null for none.</param>
    public static CoapTlsPeerIdentity Of(IFeatureCollection features, X509Certificate2? certificate)
    {
        ITlsHandshakeFeature? handshake = features.Get<ITlsHandshakeFeature>();

        // A copy, because the connection disposes the original.
        return new CoapTlsPeerIdentity(
            certificate is null ? null : X509CertificateLoader.LoadCertificate(certificate.RawData),
            NameOf(handshake),
            handshake?.Protocol ?? SslProtocols.None,
            handshake?.NegotiatedCipherSuite ?? default(TlsCipherSuite));
    }

    /// <summary>Returns the server name from Server Name Indication; null for none.</summary>
    public static string? NameOf(ITlsHandshakeFeature? handshake) => string.IsNullOrEmpty(handshake?.HostName) ? null : handshake.HostName;

    /// <summary>Returns an address; the unspecified one if it is unknown, as in memory.</summary>
    public static IPEndPoint EndPointOf(IPAddress? address, int port) =>
        address is null ? new IPEndPoint(IPAddress.Any, 0) : new IPEndPoint(address, port);
}
