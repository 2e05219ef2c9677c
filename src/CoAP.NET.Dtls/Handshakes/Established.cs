using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>What a handshake leaves.</summary>
/// <param name="Records">The session's records.</param>
/// <param name="LastFlight">What the last flight of this end said, if it was the last of the handshake: the peer may have to hear it
/// again.</param>
/// <param name="NextPlainSequence">The next number of an unprotected record.</param>
/// <param name="PskIdentity">Who the client is, by a pre-shared key.</param>
/// <param name="PeerCertificate">Who the peer is, by its certificate.</param>
internal sealed record Established(RecordLayer Records, byte[] LastFlight, ulong NextPlainSequence, string? PskIdentity,
    X509Certificate2? PeerCertificate)
{
    /// <summary>Who the peer is, by its raw public key: SubjectPublicKeyInfo in DER (RFC 7250); empty without.</summary>
    public ReadOnlyMemory<byte> PeerPublicKey { get; init; }

    /// <summary>By what the client may ask the server to resume the session (RFC 5246 section 7.3); null: by nothing.</summary>
    public byte[]? ResumptionId { get; init; }
}
