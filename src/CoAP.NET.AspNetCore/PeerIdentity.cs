using System.Net;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Transports;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace CoAP.NET.AspNetCore;

/// <summary>Who is at the other end of a connection of a web server.</summary>
internal static class PeerIdentity
{
    /// <summary>By user, or by TLS.</summary>
    public static object? Of(HttpContext context, bool isSecure) =>
        context.User is { Identity.IsAuthenticated: true } user ? user
        : isSecure ? Of(context.Features, context.Connection.ClientCertificate)
        : null;

    /// <summary>By TLS.</summary>
    /// <param name="features">What the connection knows of its handshake.</param>
    /// <param name="certificate">The certificate of the client; null for none.</param>
    public static CoapTlsIdentity Of(IFeatureCollection features, X509Certificate2? certificate)
    {
        ITlsHandshakeFeature? handshake = features.Get<ITlsHandshakeFeature>();

        // A copy: it is disposed with the connection, and this one is the server's.
        return new CoapTlsIdentity(
            certificate is null ? null : X509CertificateLoader.LoadCertificate(certificate.RawData),
            NameOf(handshake),
            handshake?.Protocol ?? SslProtocols.None,
            handshake?.NegotiatedCipherSuite ?? default(TlsCipherSuite));
    }

    /// <summary>The name of the server that the client asked for by Server Name Indication; null for none.</summary>
    public static string? NameOf(ITlsHandshakeFeature? handshake) => string.IsNullOrEmpty(handshake?.HostName) ? null : handshake.HostName;

    /// <summary>An address; that of nobody where it is not known, as in memory.</summary>
    public static IPEndPoint EndPointOf(IPAddress? address, int port) =>
        address is null ? new IPEndPoint(IPAddress.Any, 0) : new IPEndPoint(address, port);
}
