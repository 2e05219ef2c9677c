using System.Buffers.Binary;

namespace CoAP.NET.Testing.Network;

/// <summary>The header fields of a datagram (RFC 7252 section 3), read without validation.</summary>
/// <remarks>It ignores options and payload, and accepts bytes that are not a CoAP message.</remarks>
internal readonly struct MessageHead
{
    private MessageHead(ReadOnlyMemory<byte> data)
    {
        ReadOnlySpan<byte> span = data.Span;
        IsReadable = true;
        Version = span[0] >> 6;
        Type = (CoapMessageType)((span[0] >> 4) & 3);
        Code = new CoapCode(span[1]);
        MessageId = BinaryPrimitives.ReadUInt16BigEndian(span[2..]);
        (int start, int length) = (span[0] & 15) switch
        {
            // Extended lengths of RFC 8974 section 2.1.
            13 when span.Length > 4 => (5, span[4] + 13),
            14 when span.Length > 5 => (6, BinaryPrimitives.ReadUInt16BigEndian(span[4..]) + 269),
            int shortLength when shortLength < 13 => (4, shortLength),
            _ => (span.Length, 0),
        };
        Token = data.Slice(start, Math.Min(length, data.Length - start));
    }

    /// <summary>Whether the datagram has the four header bytes. If false, all other fields are zero.</summary>
    public bool IsReadable { get; }

    /// <summary>The version, 0 to 3; 1 is CoAP.</summary>
    public int Version { get; }

    public CoapMessageType Type { get; }

    public CoapCode Code { get; }

    public ushort MessageId { get; }

    /// <summary>The bytes of the token; truncated at the end of the datagram.</summary>
    public ReadOnlyMemory<byte> Token { get; }

    public static MessageHead Read(ReadOnlyMemory<byte> data) => data.Length < 4 ? default : new MessageHead(data);

    /// <summary>Formats the fields for diagnostics: <c>CON GET mid 7d34 token 20</c>.</summary>
    /// <returns>The text.</returns>
    public override string ToString()
    {
        if (!IsReadable)
        {
            return "(no header)";
        }

        string type = Type switch
        {
            CoapMessageType.Confirmable => "CON",
            CoapMessageType.NonConfirmable => "NON",
            CoapMessageType.Acknowledgement => "ACK",
            _ => "RST",
        };
        string version = Version == 1 ? string.Empty : $"(version {Version}) ";
        string token = Token.IsEmpty ? string.Empty : $" token {Convert.ToHexStringLower(Token.Span)}";
        return $"{version}{type} {Code} mid {MessageId:x4}{token}";
    }
}
