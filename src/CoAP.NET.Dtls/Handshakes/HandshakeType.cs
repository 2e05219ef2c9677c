namespace CoAP.NET.Dtls.Handshakes;

/// <summary>The type of a handshake message (RFC 5246 section 7.4, RFC 6347 section 4.3.2).</summary>
internal enum HandshakeType : byte
{
    HelloRequest = 0,
    ClientHello = 1,
    ServerHello = 2,
    HelloVerifyRequest = 3,
    NewSessionTicket = 4,
    Certificate = 11,
    ServerKeyExchange = 12,
    CertificateRequest = 13,
    ServerHelloDone = 14,
    CertificateVerify = 15,
    ClientKeyExchange = 16,
    Finished = 20,
    CertificateStatus = 22,
}
