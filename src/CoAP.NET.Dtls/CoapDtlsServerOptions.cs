using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Credentials;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Dtls.Steering;
using CoAP.NET.Settings;

namespace CoAP.NET.Dtls;

/// <summary>The credentials of an endpoint as a <c>coaps</c> server, the clients that it accepts, and the limits of its sessions.</summary>
/// <remarks>
/// Needs <see cref="PskStore"/>, <see cref="Certificate"/> (or <see cref="SelectCredentials"/>), or both; clients choose.
/// </remarks>
[HasSettings]
public sealed partial class CoapDtlsServerOptions
{

    /// <summary>Finds the pre-shared keys of clients (RFC 7252 section 9.1.3.1), such as a <see cref="CoapPskDictionary"/>.</summary>
    /// <remarks>The endpoint uses this instance and does not copy it. Default null: clients need a trusted certificate.</remarks>
    public partial ICoapPskStore? PskStore { get; set; }

    /// <summary>A hint that helps clients with several identities to choose one (RFC 4279 section 5).</summary>
    /// <remarks>1 to 128 bytes of UTF-8 without NUL. The server sends it to every client. Default null: no hint.</remarks>
    public partial string? PskIdentityHint { get; set; }

    /// <summary>The server's own certificate with its private key.</summary>
    /// <exception cref="InvalidOperationException">Set after an endpoint copied the options, which has no effect.</exception>
    /// <remarks>
    /// The key is ECDSA on P-256 (RFC 7252 section 9.1.3.3); <see cref="CoapCertificateChain.Load"/> returns such certificates. The key may
    /// be in hardware or in a store of the system. The endpoint copies it, so the caller may dispose it afterwards. To renew it while the
    /// endpoint runs, set <see cref="SelectCredentials"/>. Default null: only pre-shared keys.
    /// </remarks>
    public X509Certificate2? Certificate
    {
        get; set => field =
        OptionSetterGuard.Unused(_user, value, "CoapDtlsServerOptions.Certificate");
    }

    /// <summary>
    /// The certificates sent with <see cref="Certificate"/>: the authorities between it and a root that clients know, the nearest first.
    /// </summary>
    /// <remarks>Default: none.</remarks>
    public X509Certificate2Collection Intermediates { get; } = [];

    /// <summary>The server's own raw public key in place of a certificate (RFC 7250; RFC 7252 section 9.1.3.2).</summary>
    /// <remarks>
    /// An ECDSA key on P-256, which signs on handshake threads, one at a time. Do not combine it with <see cref="Certificate"/>. The
    /// endpoint does not copy it: do not dispose it before the endpoint has started. Default null.
    /// </remarks>
    public partial ECDsa? RawPublicKey { get; set; }

    /// <summary>Signs with a key outside of this process, in place of <see cref="Certificate"/> and <see cref="RawPublicKey"/>.</summary>
    /// <remarks>Its certificate or its raw public key is the one that the server shows. Default null.</remarks>
    public partial CoapDtlsSigner? Signer { get; set; }

    /// <summary>Decides which raw public keys of clients to accept.</summary>
    /// <remarks>
    /// Gets the key as SubjectPublicKeyInfo in DER (RFC 5280 section 4.1). The server then asks clients for a key, or for a certificate if
    /// another option allows it. The handshake waits for it without a thread, and cancels it when it ends. Default null: the server accepts
    /// no raw public keys.
    /// </remarks>
    public partial Func<ReadOnlyMemory<byte>, CancellationToken, ValueTask<bool>>? ValidateClientPublicKey { get; set; }

    /// <summary>
    /// Whether clients that use the certificate or the raw public key of the server must show a raw public key that
    /// <see cref="ValidateClientPublicKey"/> accepts.
    /// </summary>
    /// <remarks>
    /// Otherwise the handshake fails, and the client gets the alert handshake_failure. Needs no certificate authorities. To accept
    /// certificates as well, set <see cref="RequireClientCertificate"/> instead, which then accepts either. Does not apply to clients with
    /// pre-shared keys. Default false: the server accepts a client without a key, whose identity is unknown.
    /// </remarks>
    public partial bool RequireClientPublicKey { get; set; }

    /// <summary>Whether clients that use the server's certificate must show one of their own; otherwise the handshake fails.</summary>
    /// <remarks>Does not apply to clients with pre-shared keys.</remarks>
    public partial bool RequireClientCertificate { get; set; }

    /// <summary>Whether the server asks clients for a certificate and also accepts clients without one.</summary>
    /// <remarks>
    /// The identity of a client without a certificate is unknown, and resources decide. A certificate that a client shows must be valid.
    /// Default false.
    /// </remarks>
    public partial bool RequestClientCertificate { get; set; }

    /// <summary>Makes the final decision on certificates of clients.</summary>
    /// <remarks>
    /// Gets the certificate, which lives as long as the session; the chain with the status of each certificate, which is disposed
    /// afterwards; and the problems found. Called once per handshake, which waits for it without a thread, and cancels it when it ends. An
    /// exception ends the handshake.
    /// The server calls it also when a client resumes a session, and when a session of an earlier process or another server first receives
    /// or sends. Default null: the chain must be valid.
    /// </remarks>
    public partial Func<X509Certificate2, X509Chain, SslPolicyErrors, CancellationToken, ValueTask<bool>>? ValidateClientCertificate
    {
        get; set;
    }

    /// <summary>The authorities that must have issued the certificates of clients.</summary>
    /// <remarks>
    /// If empty, set <see cref="ValidateClientCertificate"/>: a certificate of a public authority does not make its owner a client.
    /// </remarks>
    public X509Certificate2Collection TrustedAuthorities { get; } = [];

    /// <summary>The revocation lists that certificates of clients must not be on, such as from a file.</summary>
    /// <exception cref="InvalidOperationException">Set after an endpoint copied the options, which has no effect.</exception>
    /// <remarks>
    /// Checked in memory, for each certificate of the chain, without fetching any URL. Default null: no list. To end the open sessions of
    /// what a new list revokes, call <see cref="CoapEndpoint.Disconnect"/>.
    /// </remarks>
    public CoapRevocationLists? RevocationLists
    {
        get; set =>
        field = OptionSetterGuard.Unused(_user, value, "CoapDtlsServerOptions.RevocationLists");
    }

    /// <summary>Chooses certificate, authorities and revocation lists for each handshake, so that they can be renewed.</summary>
    /// <exception cref="InvalidOperationException">Set after an endpoint copied the options, which has no effect.</exception>
    /// <remarks>
    /// Gets the host name that the client requests (RFC 6066 section 3), or null if it requests none. Any sender can choose that name. The
    /// result takes the place of <see cref="Certificate"/>, <see cref="Intermediates"/>, <see cref="TrustedAuthorities"/> and
    /// <see cref="RevocationLists"/>, which apply if it returns null. The server calls it once per handshake with a client that proved its
    /// address, on a handshake thread; it must return quickly. Return the same instance until something changes: the server prepares each
    /// instance once, and remembers the last 64. An exception fails the handshake and is logged. Sessions that are open go on. Default
    /// null.
    /// </remarks>
    public Func<string?, CoapDtlsCredentials?>? SelectCredentials
    {
        get; set =>
        field = OptionSetterGuard.Unused(_user, value, "CoapDtlsServerOptions.SelectCredentials");
    }

    /// <summary>How the server checks online whether a client's certificate is revoked.</summary>
    /// <remarks>Default <see cref="X509RevocationMode.NoCheck"/>: an online check takes long, and a handshake waits for it.</remarks>
    public partial X509RevocationMode RevocationMode { get; set; } = X509RevocationMode.NoCheck;

    /// <summary>Maximum number of sessions.</summary>
    /// <remarks>
    /// When it is reached, a new session ends one of the source (<see cref="CoapQuotaSource"/>) that has most: first sessions of clients
    /// without an identity, then those silent longest. Each takes up to 1 KiB.
    /// </remarks>
    [NumberRange(1, 10_000_000)]
    public partial int MaxSessions { get; set; } = 100_000;

    /// <summary>Maximum number of sessions from the addresses of one source (<see cref="CoapQuotaSource"/>).</summary>
    /// <remarks>
    /// When it is reached, a new session ends another of the same source. Raise it if more devices than that are behind one NAT.
    /// </remarks>
    [NumberRange(1, 10_000_000)]
    public partial int MaxSessionsPerAddress { get; set; } = 10_000;

    /// <summary>Maximum number of sessions of one identity (a pre-shared key's, a certificate or a raw public key).</summary>
    /// <remarks>
    /// When it is reached, a new session ends the one of the same identity that was silent longest. Raise it if more devices than that
    /// share one credential, which they should not.
    /// </remarks>
    [NumberRange(1, 10_000_000)]
    public partial int MaxSessionsPerIdentity { get; set; } = 10_000;

    /// <summary>Maximum number of concurrent handshakes with clients that proved their address.</summary>
    /// <remarks>
    /// When it is reached, the server gives up a handshake of the source (<see cref="CoapQuotaSource"/>) that has most: the one without
    /// progress longest. It reserves a quarter of them for clients that have sessions. Each takes up to 4 KiB, or 20 KiB where the server
    /// asks for certificates.
    /// </remarks>
    [NumberRange(1, 100_000)]
    public partial int MaxHandshakes { get; set; } = 1_000;

    /// <summary>Maximum number of concurrent handshakes with the addresses of one source (<see cref="CoapQuotaSource"/>).</summary>
    /// <remarks>
    /// When it is reached, the server gives up another handshake of the same source. Many devices behind one NAT that restart together need
    /// more.
    /// </remarks>
    [NumberRange(1, 100_000)]
    public partial int MaxHandshakesPerAddress { get; set; } = 50;

    /// <summary>Ends a session after this time without a message from the client (RFC 7252 section 9.1.1 leaves it to servers).</summary>
    [TimeRange(1, 365 * Seconds.Day)]
    public partial TimeSpan SessionIdleTimeout { get; set; } = TimeSpan.FromDays(1);

    /// <summary>
    /// Maximum number of sessions that the server remembers, so that clients can resume them by a short handshake (RFC 5246 section 7.3).
    /// </summary>
    /// <remarks>
    /// A server resumes a session if it still accepts the credentials of the client: <see cref="PskStore"/> has the same key for the
    /// identity, or the validation accepts the certificate or the raw public key. Otherwise the client makes a full handshake. Default 0:
    /// each handshake is a full one; 0 to 1,000,000. Each takes about 0.5 KB, plus the client's certificates. Do not combine it with
    /// <see cref="ResumptionStore"/>.
    /// </remarks>
    [NumberRange(0, 1_000_000)]
    public partial int MaxResumableSessions { get; set; }

    /// <summary>The memory of resumable sessions; null for one of <see cref="MaxResumableSessions"/>. For tests.</summary>
    internal IServerResumptionCache? ResumableIn { get; set; }

    /// <summary>The store of resumable sessions outside of the process.</summary>
    /// <remarks>
    /// Servers that share it resume each other's sessions, and a server resumes its own after a restart, if they ask the same of clients
    /// and trust the same authorities. The server checks the credentials of the client as for <see cref="MaxResumableSessions"/>, with
    /// which this is not combined. Default null.
    /// </remarks>
    public partial ICoapDtlsResumptionStore? ResumptionStore { get; set; }

    /// <summary>How long a client can resume a session.</summary>
    /// <remarks>
    /// See RFC 5246 appendix F.1.4. A client whose key you removed or replaced, or whose certificate the validation refuses by now, cannot.
    /// </remarks>
    [TimeRange(1, Seconds.Day)]
    public partial TimeSpan ResumptionLifetime { get; set; } = TimeSpan.FromHours(1);

    /// <summary>The file in which sessions survive a restart of the server, but not a crash.</summary>
    /// <remarks>
    /// Default null: a stop ends the sessions and notifies the clients. The package CoAP.NET.Cluster keeps sessions over crashes as well;
    /// do not combine both.
    /// </remarks>
    public partial CoapDtlsServerSessionFile? SessionFile { get; set; }

    /// <summary>How sessions survive a restart and a crash of the server.</summary>
    /// <remarks>Default null: they end with the server.</remarks>
    internal CoapDtlsSessionBackupOptions? SessionBackup { get; set; }

    /// <summary>Decides which sessions belong to this server when several servers share them; needs <see cref="SessionBackup"/>.</summary>
    /// <remarks>
    /// The server then identifies clients by their address only, not by the local address that they send to. The server uses this instance
    /// and does not copy it; one instance serves one server. Default null: all sessions belong to this server.
    /// </remarks>
    internal ICoapDtlsSteering? Steering { get; set; }

    /// <summary>The certificate of the server, with its key or with a signer; null for none.</summary>
    internal X509Certificate2? OwnCertificate => Certificate ?? Signer?.Certificate;

    /// <summary>Whether the server has a key that signs.</summary>
    internal bool HasOwnKey => Certificate is not null || RawPublicKey is not null || Signer is not null || SelectCredentials is not null;

    internal CoapDtlsServerOptions Clone()
    {
        CoapDtlsServerOptions copy = new()
        {
            PskStore = PskStore,
            PskIdentityHint = PskIdentityHint,
            RawPublicKey = RawPublicKey,
            Signer = Signer,
            ValidateClientPublicKey = ValidateClientPublicKey,
            RequireClientPublicKey = RequireClientPublicKey,
            Certificate = OwnCertificateValidator.Copy(Certificate),
            RequireClientCertificate = RequireClientCertificate,
            RequestClientCertificate = RequestClientCertificate,
            ValidateClientCertificate = ValidateClientCertificate,
            RevocationMode = RevocationMode,
            RevocationLists = RevocationLists,
            SelectCredentials = SelectCredentials,
            MaxSessions = MaxSessions,
            MaxSessionsPerAddress = MaxSessionsPerAddress,
            MaxSessionsPerIdentity = MaxSessionsPerIdentity,
            MaxHandshakes = MaxHandshakes,
            MaxHandshakesPerAddress = MaxHandshakesPerAddress,
            SessionIdleTimeout = SessionIdleTimeout,
            MaxResumableSessions = MaxResumableSessions,
            ResumableIn = ResumableIn,
            ResumptionStore = ResumptionStore,
            ResumptionLifetime = ResumptionLifetime,
            SessionFile = SessionFile,
            SessionBackup = SessionBackup,
            Steering = Steering,
        };
        OwnCertificateValidator.CopyAll(Intermediates, copy.Intermediates);
        OwnCertificateValidator.CopyAll(TrustedAuthorities, copy.TrustedAuthorities);
        return copy;
    }
}
