using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>What all handshakes of one endpoint in one role have in common.</summary>
internal sealed record HandshakeSettings
{
    /// <summary>Whether it answers handshakes; else it begins them.</summary>
    public required bool IsServer { get; init; }

    /// <summary>The cipher suites, best first.</summary>
    public required IReadOnlyList<CipherSuite> Suites { get; init; }

    /// <summary>The own certificate with its key, or null.</summary>
    public X509Certificate2? Certificate { get; init; }

    /// <summary>
    /// The own key pair, shown by itself as a raw public key (RFC 7250) in place of a certificate, or null. Needs OpenSSL 3.2. The public
    /// key is what is sent.
    /// </summary>
    public ECDsa? RawPublicKey { get; init; }

    /// <summary>
    /// Whether peers may show raw public keys in place of certificates; needs OpenSSL 3.2. Those are taken that
    /// <see cref="Handshake.ValidateRawPublicKey"/> takes.
    /// </summary>
    public bool TakesRawPublicKeys { get; init; }

    /// <summary>What is sent with it: certificates between it and one that the peer trusts.</summary>
    public IReadOnlyList<X509Certificate2> Intermediates { get; init; } = [];

    /// <summary>Whether a client has to show a certificate.</summary>
    public bool RequiresClientCertificate { get; init; }

    /// <summary>Whether a client is asked for a certificate, and may do without.</summary>
    public bool RequestsClientCertificate { get; init; }

    /// <summary>
    /// Whether handshakes with peers fail that do not bind the master secret to the whole handshake (extended_master_secret, RFC 7627).
    /// </summary>
    public bool RequiresExtendedMasterSecret { get; init; }

    /// <summary>
    /// Says whom a server trusts beside what stands here: sessions are resumed only where it is the same as where they were made.
    /// </summary>
    public ReadOnlyMemory<byte> Trust { get; init; }

    /// <summary>What tells clients which identity to use (RFC 4279 section 5), or null.</summary>
    public string? PskIdentityHint { get; init; }

    /// <summary>Most bytes of a datagram of the handshake.</summary>
    public int Mtu { get; init; } = 1_200;

    /// <summary>
    /// After so long a silence a flight is sent again, then after twice as long, and so on (RFC 6347 section 4.2.4.1; RFC 7925 section 11
    /// has 9 s for networks that are slow).
    /// </summary>
    public TimeSpan RetransmitTimeout { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Whether sessions may be resumed by tickets (RFC 5077); null: by clients, so that servers with little memory need not remember them
    /// (RFC 7925 section 7). Those of a server would be missing in what it says again.
    /// </summary>
    public bool? UsesTickets { get; init; }

    /// <summary>
    /// Bytes of the Connection IDs that this end gives out; -1: it does not know of Connection IDs; 0: it writes them but needs none.
    /// </summary>
    public int OwnCidLength { get; init; } = -1;

    /// <summary>
    /// Gets a line of an NSS key log (<c>CLIENT_RANDOM</c>, the random and the master secret in hexadecimal) for each session, with which
    /// whoever has the line and the datagrams reads all of the session. For debugging only; null, the default, logs none. Called on the
    /// threads of handshakes, at the same time by several.
    /// </summary>
    public Action<string>? KeyLog { get; init; }

    /// <summary>Where a server keeps sessions that clients may resume (RFC 5246 section 7.3); null: none are resumed.</summary>
    public ICoapDtlsSessionStore? SessionStore { get; init; }

    /// <summary>The same where several servers keep them, in place of <see cref="SessionStore"/>.</summary>
    public ICoapAsyncDtlsSessionStore? AsyncSessionStore { get; init; }

    /// <summary>Whether several servers keep them.</summary>
    public bool SharesSessions => AsyncSessionStore is not null;

    /// <summary>How long after its whole handshake a session may be resumed.</summary>
    public TimeSpan ResumptionLifetime { get; init; } = TimeSpan.FromHours(1);

    /// <summary>By which time that is.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;
}
