using CoAP.NET.Dtls.Handshakes;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>The settings of a client's sessions.</summary>
internal sealed record DtlsClientSettings
{
    private static readonly CoapDtlsOptions s_options = new();
    private static readonly CoapDtlsClientOptions s_client = new();

    /// <summary>
    /// Selects the pre-shared key for a server. Null, or a null result, means none, and a server that requires one fails the handshake.
    /// </summary>
    public Func<CoapDtlsTargetServer, CancellationToken, ValueTask<CoapPskCredential?>>? SelectPsk { get; init; }

    /// <summary>Validates certificates of servers; null: trust none.</summary>
    public PeerCertificateValidator? Certificates { get; init; }

    /// <summary>
    /// Selects what a handshake uses: gets the requested name (null for an address) and the server's address. Null, or a null result, means
    /// the context of the client and <see cref="Certificates"/>. Runs on the thread of the handshake.
    /// </summary>
    public Func<string?, CoapAddress, ClientHandshakeSettings?>? SelectRules { get; init; }

    /// <summary>Validates raw public keys of servers: SubjectPublicKeyInfo in DER (RFC 7250). Null: trust none.</summary>
    public Func<CoapDtlsTargetServer, ReadOnlyMemory<byte>, CancellationToken, ValueTask<bool>>? ValidateRawPublicKey { get; init; }

    /// <summary>Maximum duration of a handshake.</summary>
    public TimeSpan HandshakeTimeout { get; init; } = s_options.HandshakeTimeout;

    /// <summary>Maximum silence of a session.</summary>
    public TimeSpan IdleTimeout { get; init; } = s_client.SessionIdleTimeout;

    /// <summary>Maximum number of sessions remembered for resumption by a short handshake (RFC 5246 section 7.3); 0 for none.</summary>
    public int MaxResumable { get; init; } = s_client.MaxResumableSessions;

    /// <summary>
    /// How long the client remembers one (RFC 5246 appendix F.1.4 allows a day at most). Servers may forget it sooner; the handshake is
    /// then a full one.
    /// </summary>
    public TimeSpan ResumptionLifetime { get; init; } = TimeSpan.FromDays(1);
}
