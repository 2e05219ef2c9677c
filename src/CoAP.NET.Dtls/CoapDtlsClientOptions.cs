using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Credentials;
using CoAP.NET.Settings;

namespace CoAP.NET.Dtls;

/// <summary>The credentials of an endpoint as a <c>coaps</c> client, and the servers that it trusts.</summary>
/// <remarks>
/// With a pre-shared key, each end proves its identity with that key. Otherwise the server shows a certificate, which must come from a
/// trusted authority and match the host of the URI. The client can have a certificate too.
/// </remarks>
[HasSettings]
public sealed partial class CoapDtlsClientOptions
{

    /// <summary>The pre-shared key for all servers (RFC 7252 section 9.1.3.1).</summary>
    /// <remarks>Default null. With a key and no option about certificates, the client refuses servers with certificates.</remarks>
    public partial CoapPskCredential? Psk { get; set; }

    /// <summary>Selects the pre-shared key for a server.</summary>
    /// <remarks>
    /// The client calls it once per handshake, which waits for it without a thread, and cancels it when it ends. A null result means no
    /// key, and the handshake fails if the server needs one. Before the client resumes a session, it calls it with the hint of the full
    /// handshake: with another result it makes a full one. Default null: <see cref="Psk"/>.
    /// </remarks>
    public partial Func<CoapDtlsTargetServer, CancellationToken, ValueTask<CoapPskCredential?>>? SelectPsk { get; set; }

    /// <summary>The client's own certificate with its private key, for servers that ask for one.</summary>
    /// <exception cref="InvalidOperationException">Set after an endpoint copied the options, which has no effect.</exception>
    /// <remarks>
    /// The key is ECDSA on P-256 (RFC 7252 section 9.1.3.3); <see cref="CoapCertificateChain.Load"/> returns such certificates. The key may
    /// be in hardware or in a store of the system. The endpoint copies it, so the caller may dispose it afterwards. Default null: the
    /// client shows no certificate.
    /// </remarks>
    public X509Certificate2? Certificate
    {
        get; set => field =
        OptionSetterGuard.Unused(_user, value, "CoapDtlsClientOptions.Certificate");
    }

    /// <summary>The client's own raw public key in place of a certificate (RFC 7250; RFC 7252 section 9.1.3.2).</summary>
    /// <remarks>
    /// An ECDSA key on P-256, which signs on handshake threads, one at a time. Do not combine it with <see cref="Certificate"/>. The
    /// endpoint does not copy it: do not dispose it before the endpoint has started. Default null.
    /// </remarks>
    public partial ECDsa? RawPublicKey { get; set; }

    /// <summary>Signs with a key outside of this process, in place of <see cref="Certificate"/> and <see cref="RawPublicKey"/>.</summary>
    /// <remarks>Its certificate or its raw public key is the one that the client shows. Default null.</remarks>
    public partial CoapDtlsSigner? Signer { get; set; }

    /// <summary>Decides whether a raw public key belongs to a server.</summary>
    /// <remarks>
    /// Gets the server and the key as SubjectPublicKeyInfo in DER (RFC 5280 section 4.1). Servers may then show a key in place of a
    /// certificate. The handshake waits for it without a thread, and cancels it when it ends. Default null: the client accepts no raw
    /// public keys.
    /// </remarks>
    public partial Func<CoapDtlsTargetServer, ReadOnlyMemory<byte>, CancellationToken, ValueTask<bool>>? ValidateServerPublicKey
    {
        get; set;
    }

    /// <summary>
    /// The certificates sent with <see cref="Certificate"/>: the authorities between it and a root that servers know, the nearest first.
    /// </summary>
    /// <remarks>Default: none.</remarks>
    public X509Certificate2Collection Intermediates { get; } = [];

    /// <summary>The authorities that must have issued the certificates of servers.</summary>
    /// <remarks>Default: empty, which means the authorities that the operating system trusts.</remarks>
    public X509Certificate2Collection TrustedAuthorities { get; } = [];

    /// <summary>Makes the final decision on certificates of servers.</summary>
    /// <remarks>
    /// Gets the certificate, which lives as long as the session; the chain with the status of each certificate, which is disposed
    /// afterwards; and the problems found. Called once per handshake, which waits for it without a thread, and cancels it when it ends. An
    /// exception ends the handshake.
    /// Default null: the chain must be valid, and the name must match the request's URI (RFC 7252 section 9.1.3.3). A callback that always
    /// returns true gives up all security. The client calls it also before it resumes a session.
    /// </remarks>
    public partial Func<X509Certificate2, X509Chain, SslPolicyErrors, CancellationToken, ValueTask<bool>>? ValidateServerCertificate
    {
        get; set;
    }

    /// <summary>The revocation lists that certificates of servers must not be on, such as from a file.</summary>
    /// <exception cref="InvalidOperationException">Set after an endpoint copied the options, which has no effect.</exception>
    /// <remarks>Checked in memory, for each certificate of the chain, without fetching any URL. Default null: no list.</remarks>
    public CoapRevocationLists? RevocationLists
    {
        get; set =>
        field = OptionSetterGuard.Unused(_user, value, "CoapDtlsClientOptions.RevocationLists");
    }

    /// <summary>Chooses certificate, authorities and revocation lists for each handshake, so that they can be renewed.</summary>
    /// <exception cref="InvalidOperationException">Set after an endpoint copied the options, which has no effect.</exception>
    /// <remarks>
    /// The result takes the place of <see cref="Certificate"/>, <see cref="Intermediates"/>, <see cref="TrustedAuthorities"/> and
    /// <see cref="RevocationLists"/>, which apply if it returns null. The client calls it once per handshake, on a handshake thread; it
    /// must return quickly. Return the same instance until something changes: the client prepares each instance once, and remembers the
    /// last 64. An exception fails the request. Default null.
    /// </remarks>
    public Func<CoapDtlsTargetServer, CoapDtlsCredentials?>? SelectCredentials
    {
        get; set =>
        field = OptionSetterGuard.Unused(_user, value, "CoapDtlsClientOptions.SelectCredentials");
    }

    /// <summary>How the client checks online whether a server's certificate is revoked.</summary>
    /// <remarks>
    /// Default <see cref="X509RevocationMode.NoCheck"/>: an online check takes long, and devices can seldom reach the authority.
    /// </remarks>
    public partial X509RevocationMode RevocationMode { get; set; } = X509RevocationMode.NoCheck;

    /// <summary>Ends a session after this time without a message from the server; the next request opens a new one.</summary>
    [TimeRange(1, 365 * Seconds.Day)]
    public partial TimeSpan SessionIdleTimeout { get; set; } = TimeSpan.FromDays(1);

    /// <summary>
    /// Maximum number of sessions remembered for resumption by a short handshake (RFC 5246 section 7.3), if the server remembers them too.
    /// </summary>
    /// <remarks>With 0, none. Each takes up to 2 KiB, more with certificates.</remarks>
    [NumberRange(0, 100_000)]
    public partial int MaxResumableSessions { get; set; } = 64;

    /// <summary>The certificate of the client, with its key or with a signer; null for none.</summary>
    internal X509Certificate2? OwnCertificate => Certificate ?? Signer?.Certificate;

    /// <summary>Whether the client has a key that signs.</summary>
    internal bool HasOwnKey => Certificate is not null || RawPublicKey is not null || Signer is not null || SelectCredentials is not null;

    internal CoapDtlsClientOptions Clone()
    {
        CoapDtlsClientOptions copy = new()
        {
            Psk = Psk,
            SelectPsk = SelectPsk,
            RawPublicKey = RawPublicKey,
            Signer = Signer,
            ValidateServerPublicKey = ValidateServerPublicKey,
            Certificate = OwnCertificateValidator.Copy(Certificate),
            ValidateServerCertificate = ValidateServerCertificate,
            RevocationMode = RevocationMode,
            RevocationLists = RevocationLists,
            SelectCredentials = SelectCredentials,
            SessionIdleTimeout = SessionIdleTimeout,
            MaxResumableSessions = MaxResumableSessions,
        };
        OwnCertificateValidator.CopyAll(Intermediates, copy.Intermediates);
        OwnCertificateValidator.CopyAll(TrustedAuthorities, copy.TrustedAuthorities);
        return copy;
    }
}
