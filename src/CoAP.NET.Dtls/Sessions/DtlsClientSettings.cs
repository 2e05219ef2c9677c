using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>How a client makes and keeps sessions.</summary>
internal sealed record DtlsClientSettings
{
    /// <summary>
    /// Chooses the pre-shared key for a server: gets the name that was asked for (null for an address), the server's address and its hint
    /// (RFC 4279 section 5; null without). Null, or a null result: none, and a server that wants one fails the handshake. Called on the
    /// thread of the handshake.
    /// </summary>
    public Func<string?, CoapAddress, string?, (string Identity, ReadOnlyMemory<byte> Key)?>? SelectPsk { get; init; }

    /// <summary>Decides about certificates of servers; null: none is trusted.</summary>
    public CertificateCheck? Certificates { get; init; }

    /// <summary>
    /// Decides about raw public keys of servers: gets the name that was asked for (null for an address), the server's address and its
    /// SubjectPublicKeyInfo in DER (RFC 7250). Null: none is trusted.
    /// </summary>
    public Func<string?, CoapAddress, ReadOnlyMemory<byte>, bool>? ValidateRawPublicKey { get; init; }

    /// <summary>How long a handshake may take.</summary>
    public TimeSpan HandshakeTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How long a session may be silent.</summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromDays(1);

    /// <summary>Most sessions that are remembered to be resumed by a short handshake (RFC 5246 section 7.3); 0: none.</summary>
    public int MaxResumable { get; init; } = 64;

    /// <summary>
    /// How long one is remembered (RFC 5246 appendix F.1.4 has a day at most). Servers may forget it sooner; the handshake is then a whole
    /// one.
    /// </summary>
    public TimeSpan ResumptionLifetime { get; init; } = TimeSpan.FromDays(1);
}
