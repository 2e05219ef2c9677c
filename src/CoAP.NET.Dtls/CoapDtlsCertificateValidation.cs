using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Dtls;

/// <summary>
/// Makes the final decision on a peer's certificate, as <see cref="RemoteCertificateValidationCallback"/> does in <see cref="SslStream"/>.
/// </summary>
/// <param name="certificate">The certificate. It lives as long as the session.</param>
/// <param name="chain">The chain that was built, with the status of each certificate. Disposed when the delegate returns.</param>
/// <param name="errors">The problems found: the name of a server, the chain, or none.</param>
/// <returns>True to accept the certificate.</returns>
/// <remarks>
/// The endpoint calls it once per handshake that shows a certificate, on a handshake thread. Other handshakes and sessions continue
/// meanwhile. An exception ends the handshake. The endpoint calls it again for the same certificate and chain before a session resumes; a
/// refusal or an exception then leads to a full handshake. A server also calls it for sessions that it loaded
/// (<see cref="CoapDtlsServerOptions.SessionKeeping"/>).
/// </remarks>
public delegate bool CoapDtlsCertificateValidation(X509Certificate2 certificate, X509Chain chain, SslPolicyErrors errors);
