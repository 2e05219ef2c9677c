using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>The result of a handshake.</summary>
/// <param name="Records">The session's records.</param>
/// <param name="LastFlight">
/// The content of the last flight of this end, if it was the last of the handshake: the peer may need it again.
/// </param>
/// <param name="NextPlainSequence">The next number of an unprotected record.</param>
/// <param name="PskIdentity">The client's identity, with a pre-shared key.</param>
/// <param name="PeerCertificate">The peer's certificate.</param>
internal sealed record HandshakeResult(RecordLayer Records, byte[] LastFlight, ulong NextPlainSequence, string? PskIdentity,
    X509Certificate2? PeerCertificate)
{
    /// <summary>The peer's raw public key: SubjectPublicKeyInfo in DER (RFC 7250); empty without one.</summary>
    public ReadOnlyMemory<byte> PeerPublicKey { get; init; }

    /// <summary>Maximum bytes of content of a record that the peer accepts (RFC 8449).</summary>
    public int MaxContent { get; init; } = RecordLayer.MaxPlaintext;

    /// <summary>Whether both ends check paths (RFC 9853).</summary>
    public bool ChecksPaths { get; init; }

    /// <summary>The name by which the client may ask the server to resume the session (RFC 5246 section 7.3); null for none.</summary>
    public byte[]? ResumptionId { get; init; }

    /// <summary>
    /// What a server keeps about the credentials of the client (<see cref="ClientCredentialRecord"/>); empty for nothing.
    /// </summary>
    public byte[] ClientCredentials { get; init; } = [];
}
