namespace CoAP.NET.Dtls.Handshakes;

/// <summary>
/// Decides which unprotected handshake messages of a client a server reads, before it holds anything of them: only messages that this
/// handshake has. Each must have the one number that it can have (RFC 6347 section 4.2.2), at most the length of such a message, and
/// fragments that lie close together. Not thread-safe.
/// </summary>
internal sealed class ServerHandshakeInputFilter
{
    /// <summary>Maximum bytes of a certificate chain: four certificates of 4 KiB.</summary>
    public const int MaxCertificates = 16_384;

    /// <summary>Maximum bytes of a flight of a client without certificates.</summary>
    public const int MaxFlight = 4_096;

    /// <summary>
    /// Maximum bytes that the server reads in a handshake, including retransmissions: four times a flight of the longest kind.
    /// </summary>
    public const int MaxBytes = 4 * (MaxCertificates + MaxFlight);

    // An identity of 128 bytes (RFC 4279 section 5.3), or a point on P-521 (RFC 8422 section 5.7).
    private const int MaxClientKeyExchange = 1 + 133;

    // A signature by an RSA key of 8,192 bits.
    private const int MaxCertificateVerify = 4 + 1_024;

    // Maximum distance of a fragment from the bytes received of its message: a few datagrams may overtake each other.
    private const int MaxGap = 4_096;

    // The first ClientHello has number 0, the one with the cookie 1.
    private const int HelloNumber = 1;

    private int _bytes;
    private int _ofCertificates;
    private uint _seen;

    /// <summary>
    /// Number of required messages of the handshake that have begun to arrive. Each counts once, so that a client cannot raise it at will.
    /// </summary>
    public int Progress => System.Numerics.BitOperations.PopCount(_seen);

    /// <summary>Whether the server reads a record.</summary>
    /// <param name="content">The content of an unprotected record of the handshake: one or more messages or fragments.</param>
    /// <param name="asksForCertificate">Whether the server asked for a certificate or a raw public key.</param>
    /// <returns>False to drop the whole record.</returns>
    public bool Takes(ReadOnlySpan<byte> content, bool asksForCertificate)
    {
        if (_bytes + content.Length > MaxBytes)
        {
            return false;
        }

        uint seen = 0;
        int ofCertificates = 0;
        for (ReadOnlySpan<byte> rest = content; !rest.IsEmpty;)
        {
            if (!MessageHeader.TryRead(rest, out MessageHeader header) || !TakesMessage(header, ofCertificates, asksForCertificate))
            {
                return false;
            }

            ofCertificates += header.Type == HandshakeType.Certificate ? header.FragmentLength : 0;
            seen |= header.Type == HandshakeType.ClientHello ? 0 : 1u << (int)header.Type;
            rest = rest[(MessageHeader.Size + header.FragmentLength)..];
        }

        _bytes += content.Length;
        _ofCertificates += ofCertificates;
        _seen |= seen;
        return true;
    }

    private bool TakesMessage(in MessageHeader header, int ofCertificates, bool asksForCertificate)
    {
        // RFC 5246 section 7.3: Certificate, ClientKeyExchange, CertificateVerify; the first and the last only where the server asked.
        int key = asksForCertificate ? HelloNumber + 2 : HelloNumber + 1;
        return header.Type switch
        {
            // A retransmission, because the answer was lost.
            HandshakeType.ClientHello => header.Number <= HelloNumber,
            HandshakeType.Certificate => asksForCertificate && header.Number == HelloNumber + 1 && header.Length <= MaxCertificates
                && header.Offset <= _ofCertificates + ofCertificates + MaxGap,
            HandshakeType.ClientKeyExchange => header.Number == key && header.Length <= MaxClientKeyExchange,
            HandshakeType.CertificateVerify => asksForCertificate && header.Number == key + 1 && header.Length <= MaxCertificateVerify,
            _ => false,
        };
    }
}
