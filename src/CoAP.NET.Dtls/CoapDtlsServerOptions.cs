using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Dtls;

/// <summary>
/// Who an endpoint is where it listens on <c>coaps</c>, whom it serves, and how much it keeps of them. Needs <see cref="PskStore"/>,
/// <see cref="Certificate"/> or both; clients choose.
/// </summary>
public sealed class CoapDtlsServerOptions
{
    private static readonly TimeSpan s_shortestIdle = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longestResumption = TimeSpan.FromDays(1);
    private static readonly TimeSpan s_longestIdle = TimeSpan.FromDays(365);

    /// <summary>
    /// Knows the pre-shared keys of clients (RFC 7252 section 9.1.3.1), such as a <see cref="CoapPskDictionary"/>. Used as it is, not
    /// copied. Default null: clients need certificates to trust.
    /// </summary>
    public ICoapPskStore? PskStore { get; set; }

    /// <summary>
    /// What helps clients with several identities to choose one (RFC 4279 section 5): 1 to 128 bytes of UTF-8 without NUL. Sent to
    /// everybody. Default null: nothing is said.
    /// </summary>
    public string? PskIdentityHint { get; set; }

    /// <summary>
    /// The own certificate with its private key: ECDSA on P-256 (RFC 7252 section 9.1.3.3), and the key can be exported, as OpenSSL takes
    /// it over; <see cref="CoapCertificates.Load"/> gives such ones. Copied, so it may be disposed afterwards. Default null: only
    /// pre-shared keys.
    /// </summary>
    public X509Certificate2? Certificate { get; set; }

    /// <summary>
    /// What is sent with <see cref="Certificate"/>: the authorities between it and a root that clients know, the nearest first. Default:
    /// none.
    /// </summary>
    public X509Certificate2Collection Intermediates { get; } = [];

    /// <summary>
    /// The own raw public key in place of a certificate (RFC 7250; RFC 7252 section 9.1.3.2): an ECDSA key on P-256 that can be exported.
    /// Needs OpenSSL 3.2 or later, else the start fails with a <see cref="CoapDtlsException"/>. Not beside <see cref="Certificate"/>. Not
    /// copied: it must not be disposed before the endpoint has started. Default null.
    /// </summary>
    public ECDsa? RawPublicKey { get; set; }

    /// <summary>
    /// Decides which raw public keys of clients are good: gets the key as SubjectPublicKeyInfo in DER (RFC 5280 section 4.1). Clients are
    /// then asked for a key, or for a certificate where that is said too. Called on a thread of handshakes. Needs OpenSSL 3.2 or later.
    /// Default null: none is.
    /// </summary>
    public Func<ReadOnlyMemory<byte>, bool>? ValidateClientPublicKey { get; set; }

    /// <summary>
    /// Whether clients that use the certificate or the raw public key of the server must show a raw public key that
    /// <see cref="ValidateClientPublicKey"/> takes; otherwise the handshake fails, and the client gets the alert handshake_failure. Needs
    /// no certificate authorities. Where certificates are good as well set <see cref="RequireClientCertificate"/> instead, which then takes
    /// either. Those with pre-shared keys show none. Default false: a client that shows nothing is served, and its identity is unknown.
    /// </summary>
    public bool RequireClientPublicKey { get; set; }

    /// <summary>
    /// Whether clients that use the certificate of the server must show one of their own; otherwise the handshake fails. Those with
    /// pre-shared keys show none. Default false.
    /// </summary>
    public bool RequireClientCertificate { get; set; }

    /// <summary>
    /// Whether clients are asked for a certificate, and served without one too: their identity is then unknown, and resources decide. A
    /// certificate that is shown must be good. Default false.
    /// </summary>
    public bool RequestClientCertificate { get; set; }

    /// <summary>Has the last word on certificates of clients. Default null: the chain must be good.</summary>
    public CoapDtlsCertificateValidation? ValidateClientCertificate { get; set; }

    /// <summary>
    /// The authorities that certificates of clients must come from. Without any, <see cref="ValidateClientCertificate"/> must be set: whom
    /// a public authority knows is not yet a client.
    /// </summary>
    public X509Certificate2Collection TrustedAuthorities { get; } = [];

    /// <summary>
    /// What is asked about revoked certificates of clients. Default <see cref="X509RevocationMode.NoCheck"/>: to ask takes long, and a
    /// handshake waits for it.
    /// </summary>
    public X509RevocationMode RevocationMode { get; set; } = X509RevocationMode.NoCheck;

    /// <summary>
    /// Most sessions. For one more, one ends of the source (<see cref="CoapSource"/>) that has most: those of clients that showed no
    /// identity first, then those that were silent longest. Default 100,000; 1 to 10,000,000. Each takes up to 1 KiB.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 10,000,000.</exception>
    public int MaxSessions { get; set => field = OptionRanges.Check(value, 1, 10_000_000, nameof(MaxSessions)); } = 100_000;

    /// <summary>
    /// Most sessions from the addresses of one source (<see cref="CoapSource"/>); for one more, one of its own ends. Default 10,000; 1 to
    /// 10,000,000. Raise it where more devices than that come from behind one NAT.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 10,000,000.</exception>
    public int MaxSessionsPerAddress { get; set =>
        field = OptionRanges.Check(value, 1, 10_000_000, nameof(MaxSessionsPerAddress)); } = 10_000;

    /// <summary>
    /// Most sessions of one identity (a pre-shared key's, a certificate or a raw public key); for one more, the one of its own that was
    /// silent longest ends. Default 10,000; 1 to 10,000,000. Raise it where more devices than that share one credential, which they should
    /// not.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 10,000,000.</exception>
    public int MaxSessionsPerIdentity { get; set =>
        field = OptionRanges.Check(value, 1, 10_000_000, nameof(MaxSessionsPerIdentity)); } = 10_000;

    /// <summary>
    /// Most handshakes under way with clients whose address is shown to be real. For one more, the one is given up that stands still
    /// longest, of the source (<see cref="CoapSource"/>) that has most; a quarter of the room is for those that have sessions. Default
    /// 1,000; 1 to 100,000. Each takes up to 160 KiB.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 100,000.</exception>
    public int MaxHandshakes { get; set => field = OptionRanges.Check(value, 1, 100_000, nameof(MaxHandshakes)); } = 1_000;

    /// <summary>
    /// Most of them with the addresses of one source (<see cref="CoapSource"/>); for one more, one of its own is given up. Default 50; 1 to
    /// 100,000. Many devices behind one NAT that restart together need more.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 100,000.</exception>
    public int MaxHandshakesPerAddress { get; set => field = OptionRanges.Check(value, 1, 100_000, nameof(MaxHandshakesPerAddress)); } = 50;

    /// <summary>
    /// After so long a silence of the client its session ends (RFC 7252 section 9.1.1 leaves it to servers). Default 1 day; 1 s to 365
    /// days.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 s to 365 days.</exception>
    public TimeSpan SessionIdleTimeout { get; set =>
        field = OptionRanges.Check(value, s_shortestIdle, s_longestIdle, nameof(SessionIdleTimeout)); } = TimeSpan.FromDays(1);

    /// <summary>
    /// Where it is kept what clients need to resume their sessions by a short handshake (RFC 5246 section 7.3), such as a
    /// <see cref="CoapDtlsSessionMemory"/>. Servers may share it: sessions are resumed where the same is asked of clients and the same
    /// authorities are trusted; those with other pre-shared keys or another <see cref="ValidateClientCertificate"/> need their own. Default
    /// null: each handshake is a whole one.
    /// </summary>
    public ICoapDtlsSessionStore? ResumptionStore { get; set; }

    /// <summary>
    /// The same where it is kept outside of the process, so that servers that share it resume each other's sessions, and one its own after
    /// a restart. Not beside <see cref="ResumptionStore"/>. Default null.
    /// </summary>
    public ICoapAsyncDtlsSessionStore? AsyncResumptionStore { get; set; }

    /// <summary>
    /// How long a session may be resumed. Default 1 hour; 1 s to 1 day (RFC 5246 appendix F.1.4). A client whose key was taken away can
    /// resume for so long.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 s to 1 day.</exception>
    public TimeSpan ResumptionLifetime { get; set =>
        field = OptionRanges.Check(value, s_shortestIdle, s_longestResumption, nameof(ResumptionLifetime)); } = TimeSpan.FromHours(1);

    /// <summary>
    /// The file in which sessions outlive a restart of the server, but no crash. Not beside <see cref="SessionKeeping"/>. Default null: a
    /// stop ends them, and tells the clients.
    /// </summary>
    public CoapDtlsSessionFile? SessionFile { get; set; }

    /// <summary>
    /// How sessions outlive a restart and a crash of the server. Default null: they end with it.
    /// </summary>
    public CoapDtlsSessionKeeping? SessionKeeping { get; set; }

    /// <summary>
    /// Says which sessions are here and which at other servers, where several share them; needs <see cref="SessionKeeping"/>. Clients are
    /// then told apart by their address only, not by the local one that they send to. Used as it is, not copied, and for one server only.
    /// Default null: all sessions are here.
    /// </summary>
    public ICoapDtlsSteering? Steering { get; set; }

    internal CoapDtlsServerOptions Clone()
    {
        CoapDtlsServerOptions copy = new()
        {
            PskStore = PskStore,
            PskIdentityHint = PskIdentityHint,
            RawPublicKey = RawPublicKey,
            ValidateClientPublicKey = ValidateClientPublicKey,
            RequireClientPublicKey = RequireClientPublicKey,
            Certificate = CertificateChecks.Copy(Certificate),
            RequireClientCertificate = RequireClientCertificate,
            RequestClientCertificate = RequestClientCertificate,
            ValidateClientCertificate = ValidateClientCertificate,
            RevocationMode = RevocationMode,
            MaxSessions = MaxSessions,
            MaxSessionsPerAddress = MaxSessionsPerAddress,
            MaxSessionsPerIdentity = MaxSessionsPerIdentity,
            MaxHandshakes = MaxHandshakes,
            MaxHandshakesPerAddress = MaxHandshakesPerAddress,
            SessionIdleTimeout = SessionIdleTimeout,
            ResumptionStore = ResumptionStore,
            AsyncResumptionStore = AsyncResumptionStore,
            ResumptionLifetime = ResumptionLifetime,
            SessionFile = SessionFile,
            SessionKeeping = SessionKeeping,
            Steering = Steering,
        };
        CertificateChecks.CopyAll(Intermediates, copy.Intermediates);
        CertificateChecks.CopyAll(TrustedAuthorities, copy.TrustedAuthorities);
        return copy;
    }
}
