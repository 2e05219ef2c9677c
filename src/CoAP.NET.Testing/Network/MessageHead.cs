using System.Buffers.Binary;

namespace CoAP.NET.Testing;

/// <summary>
/// What the first bytes of a datagram say (RFC 7252 section 3), read without judging: options and payload are not looked at, and bytes that
/// are no CoAP message are no error here.
/// </summary>
public readonly struct MessageHead
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

    /// <summary>Whether there are the four bytes that every message begins with; everything else is zero if not.</summary>
    public bool IsReadable { get; }

    /// <summary>The version, 0 to 3; 1 is CoAP.</summary>
    public int Version { get; }

    /// <summary>The type.</summary>
    public CoapMessageType Type { get; }

    /// <summary>The code.</summary>
    public CoapCode Code { get; }

    /// <summary>The Message ID.</summary>
    public ushort MessageId { get; }

    /// <summary>The bytes of the token; cut short where the datagram ends.</summary>
    public ReadOnlyMemory<byte> Token { get; }

    /// <summary>Reads the beginning of a datagram.</summary>
    /// <param name="data">The datagram.</param>
    /// <returns>What it says.</returns>
    public static MessageHead Read(ReadOnlyMemory<byte> data) => data.Length < 4 ? default : new MessageHead(data);

    /// <summary>For people: <c>CON GET mid 7d34 token 20</c>.</summary>
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
