namespace CoAP.NET.Serialization;

/// <summary>
/// The message format of reliable transports: TCP and TLS (RFC 8323 section 3.2) and WebSockets (section 4.2), with extended token lengths
/// (RFC 8974 section 2.1).
/// <code>
///    0                   1                   2                   3
///    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///   |  Len  |  TKL  | Extended Length (if any, as chosen by Len) ...
///   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///   |      Code     | Token (if any, TKL bytes) ...
///   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///   |   Options (if any) ...
///   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///   |1 1 1 1 1 1 1 1|    Payload (if any) ...
///   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// </code>
/// The length counts options, payload marker and payload. There is neither type nor Message ID. A WebSocket message has length 0 and ends with its source.
/// The first byte that breaks a rule decides the verdict; a length above the limit is refused before the message is there. Thread-safe.
/// </summary>
public sealed class CoapStreamSerializer : CoapMessageSerializer
{
    private const long DefaultMaxMessageSize = 1024 * 1024;

    /// <summary>Makes a serializer.</summary>
    /// <param name="options">Factories and limits; copied. Default: all that this library knows, messages up to 1 MiB.</param>
    /// <param name="webSocket">Whether each source holds one message whose length field is 0, as in WebSockets (RFC 8323 section 4.2).</param>
    public CoapStreamSerializer(CoapSerializerOptions? options = null, bool webSocket = false)
        : base(options, DefaultMaxMessageSize)
    {
        IsWebSocket = webSocket;
    }

    /// <summary>The serializer for TCP and TLS with default options.</summary>
    public static CoapStreamSerializer Default { get; } = new();

    /// <summary>The serializer for WebSocket messages with default options.</summary>
    public static CoapStreamSerializer WebSocket { get; } = new(webSocket: true);

    /// <summary>Whether each source holds one message whose length field is 0 (RFC 8323 section 4.2).</summary>
    public bool IsWebSocket { get; }

    internal override bool EndsWithSource => IsWebSocket;

    /// <summary>The bytes before the token, as the first byte tells. Whoever must not read a byte too many reads two, then up to this.</summary>
    internal static int SizeOfHeader(byte first) =>
        2 + ExtendedField.SizeOfExtension(first >> 4) + ExtendedField.SizeOfExtension(first & 0x0f);

    internal override int WriteHead(Span<byte> destination, CoapMessage message, in MessagePlan plan)
    {
        CoapToken token = message.Token;
        long length = IsWebSocket ? 0 : plan.Body;
        destination[0] = (byte)((ExtendedField.FieldFor(length) << 4) | ExtendedField.FieldFor(token.Length));
        int at = 1 + ExtendedField.WriteExtension(destination[1..], length);
        destination[at++] = message.Code.Value;
        return at + TokenLength.Write(destination[at..], in token);
    }

    private protected override MessagePlan PlanHead(CoapMessage message, MessagePlan plan)
    {
        if (IsReserved(message.Code))
        {
            throw new ArgumentException($"The class of code {message.Code} is reserved (RFC 7252 section 3).", nameof(message));
        }

        if (plan.Body > ExtendedField.MaxFourBytes)
        {
            throw new ArgumentException($"Options and payload take {plan.Body} bytes; {ExtendedField.MaxFourBytes} is the most that a frame can have (RFC 8323 section 3.2).", nameof(message));
        }

        int extension = IsWebSocket ? 0 : ExtendedField.SizeOfExtensionFor(plan.Body);
        return plan with { Head = 2 + extension + TokenLength.SizeOf(message.Token) };
    }

    private protected override CoapFormatError ReadHead(ReadOnlySpan<byte> first, long available, out MessageHead head) =>
        IsWebSocket ? ReadWebSocketHead(first, available, out head) : ReadFrameHead(first, out head);

    // Byte by byte, and no step looks ahead: what is wrong with a beginning does not change with what follows.
    private CoapFormatError ReadFrameHead(ReadOnlySpan<byte> first, out MessageHead head)
    {
        head = default;
        if (first.IsEmpty)
        {
            return default;
        }

        int tokenField = first[0] & 0x0f;
        if (TokenLength.IsReserved(tokenField, Options.MaxTokenLength))
        {
            return new CoapFormatError(CoapFormatRule.TokenLengthReserved, 0);
        }

        int lengthField = first[0] >> 4;
        int offset = 1 + ExtendedField.SizeOfExtension(lengthField);
        if (first.Length < offset)
        {
            return default;
        }

        long body = ExtendedField.Read(lengthField, first[1..]);
        if (offset + 1 + body > MaxMessageSize)
        {
            return new CoapFormatError(CoapFormatRule.MessageTooLarge, MaxMessageSize);
        }

        if (first.Length == offset)
        {
            return default;
        }

        CoapCode code = new(first[offset]);
        if (IsReserved(code))
        {
            return new CoapFormatError(CoapFormatRule.CodeReserved, offset);
        }

        offset++;
        if (!TokenLength.TryRead(first, tokenField, ref offset, out int tokenLength))
        {
            return default;
        }

        if (tokenLength > Options.MaxTokenLength)
        {
            return new CoapFormatError(CoapFormatRule.TokenTooLong, 0);
        }

        head = new MessageHead { Code = code, TokenOffset = offset, TokenLength = tokenLength, Length = offset + tokenLength + body };
        return head.Length > MaxMessageSize ? new CoapFormatError(CoapFormatRule.MessageTooLarge, MaxMessageSize) : default;
    }

    private CoapFormatError ReadWebSocketHead(ReadOnlySpan<byte> first, long available, out MessageHead head)
    {
        head = default;
        if (!first.IsEmpty && first[0] >> 4 != 0)
        {
            return new CoapFormatError(CoapFormatRule.LengthNotZero, 0);
        }

        if (!first.IsEmpty && TokenLength.IsReserved(first[0], Options.MaxTokenLength))
        {
            return new CoapFormatError(CoapFormatRule.TokenLengthReserved, 0);
        }

        if (available < 2)
        {
            return new CoapFormatError(CoapFormatRule.HeaderTruncated, available);
        }

        if (available > MaxMessageSize)
        {
            return new CoapFormatError(CoapFormatRule.MessageTooLarge, MaxMessageSize);
        }

        CoapCode code = new(first[1]);
        if (IsReserved(code))
        {
            return new CoapFormatError(CoapFormatRule.CodeReserved, 1);
        }

        int offset = 2;
        if (!TokenLength.TryRead(first, first[0], ref offset, out int tokenLength) || tokenLength > available - offset)
        {
            return new CoapFormatError(CoapFormatRule.TokenTruncated, available);
        }

        head = new MessageHead { Code = code, TokenOffset = offset, TokenLength = tokenLength, Length = available };
        return tokenLength > Options.MaxTokenLength ? new CoapFormatError(CoapFormatRule.TokenTooLong, 0) : default;
    }

    // Class 7 is signalling here (RFC 8323 section 5); the others stay reserved.
    private static bool IsReserved(CoapCode code) => code.IsReserved && !code.IsSignalling;
}
