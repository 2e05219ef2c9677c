using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Transports;

/// <summary>Who a peer is, as a TLS handshake showed: the identity of peers on <c>coaps+tcp</c>.</summary>
/// <param name="Certificate">The peer's certificate; null when it showed none. It lives as long as the connection.</param>
/// <param name="ServerName">The name of the server that the client asked for; null when none was said.</param>
/// <param name="Protocol">The version of TLS.</param>
/// <param name="CipherSuite">The cipher suite.</param>
public sealed record CoapTlsIdentity(X509Certificate2? Certificate, string? ServerName, SslProtocols Protocol, TlsCipherSuite CipherSuite);
