namespace CoAP.NET.Simulation.LimitFill;

/// <summary>
/// The ClientHello of DTLS 1.2 (RFC 6347 section 4.2) of somebody who wants a certificate of the server, made by hand so that it costs the
/// attacker nothing.
/// </summary>
internal static class DtlsHello
{
    private const int RecordHeader = 13;
    private const int HandshakeHeader = 12;

    /// <summary>Makes one.</summary>
    /// <param name="cookie">The cookie; empty the first time.</param>
    /// <param name="number">The number of the record and of the message.</param>
    public static byte[] Make(ReadOnlySpan<byte> cookie, byte number)
    {
        // TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 and TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8; no compression; P-256, uncompressed points,
        // ecdsa_secp256r1_sha256, extended master secret.
        byte[] body =
        [
            0xfe, 0xfd, .. new byte[32], 0, (byte)cookie.Length, .. cookie, 0, 4, 0xc0, 0x2b, 0xc0, 0xae, 1, 0,
            0, 26, 0, 10, 0, 4, 0, 2, 0, 23, 0, 11, 0, 2, 1, 0, 0, 13, 0, 4, 0, 2, 4, 3, 0, 23, 0, 0,
        ];
        byte[] datagram = new byte[RecordHeader + HandshakeHeader + body.Length];
        body.CopyTo(datagram, RecordHeader + HandshakeHeader);
        WriteRecord(datagram, number);
        Span<byte> handshake = datagram.AsSpan(RecordHeader);
        handshake[0] = 1;
        BinaryPrimitives.WriteUInt16BigEndian(handshake[2..], (ushort)body.Length);
        handshake[5] = number;
        BinaryPrimitives.WriteUInt16BigEndian(handshake[10..], (ushort)body.Length);
        return datagram;
    }

    /// <summary>Writes the header of a record of a handshake, whose content takes the rest.</summary>
    public static void WriteRecord(Span<byte> record, ulong number)
    {
        BinaryPrimitives.WriteUInt64BigEndian(record[3..], number);
        record[0] = 22;
        record[1] = 0xfe;
        record[2] = 0xfd;
        BinaryPrimitives.WriteUInt16BigEndian(record[11..], (ushort)(record.Length - RecordHeader));
    }

    /// <summary>The cookie of a HelloVerifyRequest; null when it is none.</summary>
    public static byte[]? CookieOf(ReadOnlySpan<byte> datagram)
    {
        const int Length = RecordHeader + HandshakeHeader + 2;
        return datagram.Length > Length && datagram[0] == 22 && datagram[RecordHeader] == 3
            ? datagram.Slice(Length + 1, datagram[Length]).ToArray()
            : null;
    }
}
