using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Dtls;

/// <summary>
/// Who an endpoint is where it asks by <c>coaps</c>, and whom it trusts. With a pre-shared key both ends are known to each other by it.
/// Otherwise the server shows a certificate, which must come from a trusted authority and be for the host of the URI, and the client may
/// have one too.
/// </summary>
public sealed class CoapDtlsClientOptions
{
    private static readonly TimeSpan s_shortestIdle = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longestIdle = TimeSpan.FromDays(365);

    /// <summary>
    /// The pre-shared key for all servers (RFC 7252 section 9.1.3.1). Default null. With a key, and nothing said of certificates, servers
    /// with certificates are not taken.
    /// </summary>
    public CoapPskCredential? Psk { get; set; }

    /// <summary>
    /// Chooses the pre-shared key for a server; null as the result: none, and the handshake fails if it needs one. Called once for each
    /// handshake, on a thread of handshakes; must be quick. Default null: <see cref="Psk"/>.
    /// </summary>
    public Func<CoapDtlsServerName, CoapPskCredential?>? SelectPsk { get; set; }

    /// <summary>
    /// The own certificate with its private key, for servers that ask for one: ECDSA on P-256 (RFC 7252 section 9.1.3.3), and the key can
    /// be exported, as OpenSSL takes it over; <see cref="CoapCertificates.Load"/> gives such ones. Copied, so it may be disposed
    /// afterwards. Default null: none is shown.
    /// </summary>
    public X509Certificate2? Certificate { get; set; }

    /// <summary>
    /// The own raw public key in place of a certificate (RFC 7250; RFC 7252 section 9.1.3.2): an ECDSA key on P-256 that can be exported.
    /// Needs OpenSSL 3.2 or later, else the start fails with a <see cref="CoapDtlsException"/>. Not beside <see cref="Certificate"/>. Not
    /// copied: it must not be disposed before the endpoint has started. Default null.
    /// </summary>
    public ECDsa? RawPublicKey { get; set; }

    /// <summary>
    /// Decides whether a raw public key is that of a server: gets the server and the key as SubjectPublicKeyInfo in DER (RFC 5280 section
    /// 4.1). Servers may then show a key in place of a certificate. Called on a thread of handshakes. Needs OpenSSL 3.2 or later. Default
    /// null: none is taken.
    /// </summary>
    public Func<CoapDtlsServerName, ReadOnlyMemory<byte>, bool>? ValidateServerPublicKey { get; set; }

    /// <summary>
    /// What is sent with <see cref="Certificate"/>: the authorities between it and a root that servers know, the nearest first. Default:
    /// none.
    /// </summary>
    public X509Certificate2Collection Intermediates { get; } = [];

    /// <summary>
    /// The authorities that certificates of servers must come from. Default: none, then those that the operating system trusts.
    /// </summary>
    public X509Certificate2Collection TrustedAuthorities { get; } = [];

    /// <summary>
    /// Has the last word on certificates of servers. Default null: the chain must be good, and the name must be that of the request's URI
    /// (RFC 7252 section 9.1.3.3). One that always says true gives up all security.
    /// </summary>
    public CoapDtlsCertificateValidation? ValidateServerCertificate { get; set; }

    /// <summary>
    /// What is asked about revoked certificates of servers. Default <see cref="X509RevocationMode.NoCheck"/>: to ask takes long, and
    /// devices seldom reach those who know.
    /// </summary>
    public X509RevocationMode RevocationMode { get; set; } = X509RevocationMode.NoCheck;

    /// <summary>
    /// After so long a silence of the server the session ends; the next request makes another. Default 1 day; 1 s to 365 days.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 s to 365 days.</exception>
    public TimeSpan SessionIdleTimeout { get; set =>
        field = OptionRanges.Check(value, s_shortestIdle, s_longestIdle, nameof(SessionIdleTimeout)); } = TimeSpan.FromDays(1);

    /// <summary>
    /// Most sessions that are remembered to be resumed by a short handshake (RFC 5246 section 7.3), if the server remembers them too.
    /// Default 64; 0 (none) to 100,000. Each takes up to 2 KiB, more with certificates.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0 to 100,000.</exception>
    public int MaxResumableSessions { get; set => field = OptionRanges.Check(value, 0, 100_000, nameof(MaxResumableSessions)); } = 64;

    internal CoapDtlsClientOptions Clone()
    {
        CoapDtlsClientOptions copy = new()
        {
            Psk = Psk,
            SelectPsk = SelectPsk,
            RawPublicKey = RawPublicKey,
            ValidateServerPublicKey = ValidateServerPublicKey,
            Certificate = CertificateChecks.Copy(Certificate),
            ValidateServerCertificate = ValidateServerCertificate,
            RevocationMode = RevocationMode,
            SessionIdleTimeout = SessionIdleTimeout,
            MaxResumableSessions = MaxResumableSessions,
        };
        CertificateChecks.CopyAll(Intermediates, copy.Intermediates);
        CertificateChecks.CopyAll(TrustedAuthorities, copy.TrustedAuthorities);
        return copy;
    }
}
