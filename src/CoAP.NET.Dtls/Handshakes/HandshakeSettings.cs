using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>The settings that all handshakes of one endpoint in one role share.</summary>
internal sealed record HandshakeSettings
{
    /// <summary>Whether it answers handshakes; otherwise it starts them.</summary>
    public required bool IsServer { get; init; }

    /// <summary>The cipher suites, best first.</summary>
    public required IReadOnlyList<CipherSuite> Suites { get; init; }

    /// <summary>What this machine lacks for any cipher suite; null for nothing.</summary>
    public string? Missing { get; init; }

    /// <summary>The endpoint's own certificate with its key, or null.</summary>
    public X509Certificate2? Certificate { get; init; }

    /// <summary>
    /// The endpoint's own key pair, used as a raw public key (RFC 7250) in place of a certificate, or null. The peer gets the public key.
    /// </summary>
    public ECDsa? RawPublicKey { get; init; }

    /// <summary>Signs for the certificate, or has a raw public key of its own; null: the endpoint has the key.</summary>
    public CoapDtlsSigner? Signer { get; init; }

    /// <summary>
    /// Whether peers may show raw public keys in place of certificates. <see cref="Handshake.ValidateRawPublicKey"/> decides which to
    /// accept.
    /// </summary>
    public bool TakesRawPublicKeys { get; init; }

    /// <summary>The certificates sent with it, up to one that the peer trusts.</summary>
    public IReadOnlyList<X509Certificate2> Intermediates { get; init; } = [];

    /// <summary>Whether a client has to show a certificate.</summary>
    public bool RequiresClientCertificate { get; init; }

    /// <summary>Whether a server asks the client for a certificate that it does not require.</summary>
    public bool RequestsClientCertificate { get; init; }

    /// <summary>
    /// Whether handshakes fail with peers that do not bind the master secret to the whole handshake (extended_master_secret, RFC 7627).
    /// </summary>
    public bool RequiresExtendedMasterSecret { get; init; }

    /// <summary>Whether this end can bind the master secret to the whole handshake. False plays an old peer.</summary>
    public bool OffersExtendedMasterSecret { get; init; } = true;

    /// <summary>Whether this end can check paths (RFC 9853) where Connection IDs are negotiated. False plays an old peer.</summary>
    public bool OffersPathChecks { get; init; } = true;

    /// <summary>Maximum bytes of a record that this end says it accepts (RFC 8449). Lower values play a small device.</summary>
    public int RecordSizeLimit { get; init; } = RecordLayer.MaxPlaintext;

    /// <summary>
    /// A digest of the server's trust rules beyond these settings: a session resumes only under the rules of its first handshake.
    /// </summary>
    public ReadOnlyMemory<byte> Trust { get; init; }

    /// <summary>The hint about the identity that clients use (RFC 4279 section 5), or null.</summary>
    public string? PskIdentityHint { get; init; }

    /// <summary>Maximum bytes of a handshake datagram.</summary>
    public int Mtu { get; init; } = 1_200;

    /// <summary>
    /// The time without an answer after which a flight goes out again; it doubles each time (RFC 6347 section 4.2.4.1; RFC 7925 section 11
    /// recommends 9 s for slow networks).
    /// </summary>
    public TimeSpan RetransmitTimeout { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Whether sessions may resume by tickets (RFC 5077). Null: clients may use them, so that servers with little memory need not remember
    /// sessions (RFC 7925 section 7). A server's repeated flight would lack the ticket.
    /// </summary>
    public bool? UsesTickets { get; init; }

    /// <summary>
    /// Bytes of the Connection IDs that this end assigns; -1: no support for Connection IDs; 0: it writes them but needs none.
    /// </summary>
    public int OwnCidLength { get; init; } = -1;

    /// <summary>
    /// Gets a line of an NSS key log (<c>CLIENT_RANDOM</c>, the random and the master secret in hexadecimal) for each session. Anyone with
    /// the line and the datagrams can read the whole session. For debugging only; null, the default, logs none. Several handshake threads
    /// call it concurrently.
    /// </summary>
    public Action<string>? KeyLog { get; init; }

    /// <summary>The store of resumable sessions of a server (RFC 5246 section 7.3); null: no resumption.</summary>
    public IServerResumptionCache? SessionStore { get; init; }

    /// <summary>Runs when <see cref="SessionStore"/> threw; null: nothing runs.</summary>
    public Action<Exception>? SessionStoreFailed { get; init; }

    /// <summary>The store if several servers share it, in place of <see cref="SessionStore"/>.</summary>
    public ICoapDtlsResumptionStore? AsyncSessionStore { get; init; }

    /// <summary>Whether several servers share the store.</summary>
    public bool SharesSessions => AsyncSessionStore is not null;

    /// <summary>How long after its full handshake a session may resume.</summary>
    public TimeSpan ResumptionLifetime { get; init; } = TimeSpan.FromHours(1);

    /// <summary>The clock for <see cref="ResumptionLifetime"/>.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Puts a session into <see cref="SessionStore"/>. Does not throw.</summary>
    /// <param name="id">Its name.</param>
    /// <param name="state">Its state, which belongs to the store from now on.</param>
    /// <param name="expires">When the state becomes useless.</param>
    public void Store(byte[] id, byte[] state, DateTimeOffset expires)
    {
        try
        {
            SessionStore!.Add(id, state, expires);
        }
#pragma warning disable CA1031 // a failing store of a user costs a full handshake later, and nothing now
        catch (Exception exception)
#pragma warning restore CA1031
        {
            CryptographicOperations.ZeroMemory(state);
            SessionStoreFailed?.Invoke(exception);
        }
    }
}
