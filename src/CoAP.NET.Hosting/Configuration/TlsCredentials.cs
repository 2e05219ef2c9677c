using System.Net.Security;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>The options of TLS with the certificates and keys from files.</summary>
/// <param name="Server">The options of a server; null without a certificate.</param>
/// <param name="Client">The options of a client.</param>
internal sealed record TlsCredentials(SslServerAuthenticationOptions? Server, SslClientAuthenticationOptions Client);
