namespace CoAP.NET.Simulation.Attack;

/// <summary>Messages as bytes, with a token of four bytes that is written over for each copy.</summary>
internal static class Forged
{
    private const int TokenLength = 4;

    /// <summary>Makes a message.</summary>
    /// <param name="code">Its code.</param>
    /// <param name="path">Its path; empty for none.</param>
    /// <param name="type">Its type.</param>
    /// <param name="options">Adds options.</param>
    /// <param name="payload">Its payload.</param>
    public static byte[] Message(CoapCode code, string path, CoapMessageType type = CoapMessageType.Confirmable,
        Action<CoapOptionCollection>? options = null, byte[]? payload = null)
    {
        CoapMessage message = new(code) { Type = type, Token = new CoapToken(new byte[TokenLength]), Payload = payload ?? [] };
        foreach (string segment in path.Split('/', StringSplitOptions.RemoveEmptyEntries))
        {
            message.Options.Add(OptionNumber.UriPath, Encoding.UTF8.GetBytes(segment));
        }

        options?.Invoke(message.Options);
        return CoapDatagramSerializer.Default.Serialize(message);
    }

    /// <summary>An empty acknowledgement or reset.</summary>
    public static byte[] Empty(CoapMessageType type, int messageId)
    {
        byte[] bytes = [(byte)(0x40 | ((int)type << 4)), 0, 0, 0];
        BinaryPrimitives.WriteUInt16BigEndian(bytes.AsSpan(2), (ushort)messageId);
        return bytes;
    }

    /// <summary>A response with the token of a request, and for an acknowledgement its Message ID.</summary>
    public static byte[] Response(byte[] request, CoapMessageType type, CoapCode code, string payload,
        Action<CoapOptionCollection>? options = null, byte[]? body = null)
    {
        CoapMessage asked = Read(request);
        CoapMessage message = new(code)
        {
            Type = type,
            MessageId = type == CoapMessageType.Acknowledgement ? asked.MessageId : (ushort)(asked.MessageId + 1),
            Token = asked.Token,
            Payload = body ?? Encoding.UTF8.GetBytes(payload),
        };
        options?.Invoke(message.Options);
        return CoapDatagramSerializer.Default.Serialize(message);
    }

    /// <summary>Writes Message ID and token over.</summary>
    public static Span<byte> Stamp(Span<byte> message, int messageId, uint token)
    {
        BinaryPrimitives.WriteUInt16BigEndian(message[2..], (ushort)messageId);
        if ((message[0] & 0xf) == TokenLength)
        {
            BinaryPrimitives.WriteUInt32BigEndian(message[4..], token);
        }

        return message;
    }

    public static CoapMessage Read(ReadOnlySpan<byte> bytes) => CoapDatagramSerializer.Default.Deserialize(bytes.ToArray().AsMemory());

    public static CoapMessageType TypeOf(ReadOnlySpan<byte> bytes) => (CoapMessageType)((bytes[0] >> 4) & 3);

    public static int MessageIdOf(ReadOnlySpan<byte> bytes) => BinaryPrimitives.ReadUInt16BigEndian(bytes[2..]);

    public static uint TokenOf(ReadOnlySpan<byte> bytes) =>
        (bytes[0] & 0xf) == TokenLength ? BinaryPrimitives.ReadUInt32BigEndian(bytes[4..]) : 0;

    /// <summary>Bytes by which a place in a body is known.</summary>
    public static byte[] Pattern(int seed, int length)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
        {
            bytes[i] = (byte)((i * 31) + (i >> 6) + (seed * 17));
        }

        return bytes;
    }
}
