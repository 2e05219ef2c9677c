namespace CoAP.NET.Dtls.Handshakes;

/// <summary>The fatal alerts that a handshake sends (RFC 5246 section 7.2.2).</summary>
internal enum Alert : byte
{
    UnexpectedMessage = 10,
    HandshakeFailure = 40,
    BadCertificate = 42,
    IllegalParameter = 47,
    DecodeError = 50,
    DecryptError = 51,
    ProtocolVersion = 70,
    InternalError = 80,
    UnsupportedExtension = 110,
}
