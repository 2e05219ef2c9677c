using System.Buffers.Binary;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>
/// Decides which unprotected handshake messages of a client reach OpenSSL. OpenSSL reserves the announced length of a message with its
/// first fragment, for each of eleven message numbers, whether or not the handshake has such a message. So only messages that come next in
/// this handshake pass. Each must have the one number that it can have (RFC 6347 section 4.2.2), at most the length of such a message, and
/// fragments that lie close together. Not thread-safe.
/// </summary>
internal sealed class ClientMessageFilter
{
    /// <summary>Maximum bytes of a certificate chain: four certificates of 4 KiB. OpenSSL has no smaller limit for one message.</summary>
    public const int MaxCertificates = 16_384;

    /// <summary>
    /// Maximum bytes that OpenSSL receives in a handshake, including retransmissions: four times a flight of the longest kind.
    /// </summary>
    public const int MaxBytes = 4 * (MaxCertificates + 4_096);

    // An identity of 128 bytes (RFC 4279 section 5.3), or a point on P-521 (RFC 8422 section 5.7).
    private const int MaxClientKeyExchange = 1 + 133;

    // A signature by an RSA key of 8,192 bits.
    private const int MaxCertificateVerify = 4 + 1_024;

    // Maximum distance of a fragment from the bytes received of its message: a few datagrams may overtake each other.
    private const int MaxGap = 4_096;
    private const int HeaderSize = 12;
    private const int ClientHello = 1;
    private const int Certificate = 11;
    private const int CertificateVerify = 15;
    private const int ClientKeyExchange = 16;

    // The first ClientHello has number 0, the one with the cookie 1.
    private const int HelloNumber = 1;

    private int _bytes;
    private int _ofCertificates;
    private uint _seen;

    /// <summary>
    /// Number of required messages of the handshake that have begun to arrive. Each counts once, so that a client cannot raise it at will.
    /// </summary>
    public int Progress => System.Numerics.BitOperations.PopCount(_seen);

    /// <summary>Whether OpenSSL may receive a record.</summary>
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
            if (rest.Length < HeaderSize)
            {
                return false;
            }

            int fragment = Read24(rest[9..]);
            if (fragment > rest.Length - HeaderSize || !TakesMessage(rest[0], rest, fragment, ofCertificates, asksForCertificate))
            {
                return false;
            }

            ofCertificates += rest[0] == Certificate ? fragment : 0;
            seen |= rest[0] == ClientHello ? 0 : 1u << rest[0];
            rest = rest[(HeaderSize + fragment)..];
        }

        _bytes += content.Length;
        _ofCertificates += ofCertificates;
        _seen |= seen;
        return true;
    }

    private bool TakesMessage(byte type, ReadOnlySpan<byte> message, int fragment, int ofCertificates, bool asksForCertificate)
    {
        int length = Read24(message[1..]);
        int number = BinaryPrimitives.ReadUInt16BigEndian(message[4..]);
        int offset = Read24(message[6..]);
        if (offset + fragment > length)
        {
            return false;
        }

        // RFC 5246 section 7.3: Certificate, ClientKeyExchange, CertificateVerify; the first and the last only where the server asked.
        int key = asksForCertificate ? HelloNumber + 2 : HelloNumber + 1;
        return type switch
        {
            // A retransmission, because the answer was lost: OpenSSL recognizes its number.
            ClientHello => number <= HelloNumber,
            Certificate => asksForCertificate && number == HelloNumber + 1 && length <= MaxCertificates
                && offset <= _ofCertificates + ofCertificates + MaxGap,
            ClientKeyExchange => number == key && length <= MaxClientKeyExchange,
            CertificateVerify => asksForCertificate && number == key + 1 && length <= MaxCertificateVerify,
            _ => false,
        };
    }

    private static int Read24(ReadOnlySpan<byte> bytes) => (bytes[0] << 16) | BinaryPrimitives.ReadUInt16BigEndian(bytes[1..]);
}
