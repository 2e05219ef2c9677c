using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Dtls;

/// <summary>
/// Has the last word on a certificate of a peer, as <see cref="RemoteCertificateValidationCallback"/> has in <see cref="SslStream"/>.
/// Called once for each handshake that shows one, on a thread of handshakes: other handshakes and sessions go on meanwhile. What it throws
/// ends the handshake.
/// </summary>
/// <param name="certificate">The certificate. It lives as long as the session.</param>
/// <param name="chain">Its chain as it was built, with the status of each certificate. Disposed when this returns.</param>
/// <param name="errors">What is wrong: the name of a server, the chain, or nothing.</param>
/// <returns>Whether the certificate is taken.</returns>
public delegate bool CoapDtlsCertificateValidation(X509Certificate2 certificate, X509Chain chain, SslPolicyErrors errors);
