using CoAP.NET.Serialization;

namespace CoAP.NET;

/// <summary>The message format of TCP and TLS (RFC 8323 section 3.2), with extended token lengths (RFC 8974 section 2.1).</summary>
/// <remarks>
/// That of WebSockets is <see cref="CoapWebSocketSerializer"/>. <code> 0 1 2 3 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9
/// 0 1 +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ | Len | TKL | Extended Length (if any, as chosen by Len) ...
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ | Code | Token (if any, TKL bytes) ...
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ | Options (if any) ...
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ |1 1 1 1 1 1 1 1| Payload (if any) ...
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ </code> The length counts options, payload marker and payload. There
/// is neither type nor Message ID. The first byte that breaks a rule decides the verdict; a length above the limit is refused before the
/// message is there. Thread-safe.
/// </remarks>
public sealed class CoapStreamSerializer : CoapMessageSerializer
{
    internal const long DefaultMaxMessageSize = 1024 * 1024;

    /// <summary>Creates a serializer.</summary>
    /// <param name="options">Factories and limits; copied. Default: all that this library knows, messages up to 1 MiB.</param>
    public CoapStreamSerializer(CoapSerializerOptions? options = null)
        : base(options, DefaultMaxMessageSize)
    {
    }

    /// <summary>The serializer with default options.</summary>
    public static CoapStreamSerializer Default { get; } = new();

    /// <summary>
    /// Returns the length of a message from its beginning, even if it is incomplete: for programs that cut a stream of bytes, such as a
    /// capture, into messages.
    /// </summary>
    /// <param name="first">The beginning of the message; 8 bytes and the token are enough.</param>
    /// <param name="length">The length of the whole message in bytes; 0 if it is unknown.</param>
    /// <returns>False if there are too few bytes, or if they violate a rule; <c>TryDeserialize</c> returns which.</returns>
    public bool TryMeasure(ReadOnlySpan<byte> first, out long length)
    {
        bool isRead = TryReadHead(first, first.Length, out MessageHead head, out _);
        length = isRead ? head.Length : 0;
        return isRead;
    }

    internal override bool EndsWithSource => false;

    /// <summary>
    /// Returns the number of bytes before the token, from the first byte. A reader that must not read too much reads two bytes, then up to
    /// this.
    /// </summary>
    internal static int SizeOfHeader(byte first) =>
        2 + ExtendedField.SizeOfExtension(first >> 4) + ExtendedField.SizeOfExtension(first & 0x0f);

    internal override int WriteHead(Span<byte> destination, CoapMessage message, in EncodedMessageSize plan) =>
        WriteHead(destination, message, plan.Body);

    /// <summary>Writes header and token.</summary>
    /// <returns>The bytes written.</returns>
    internal static int WriteHead(Span<byte> destination, CoapMessage message, long length)
    {
        CoapToken token = message.Token;
        destination[0] = (byte)((ExtendedField.FieldFor(length) << 4) | ExtendedField.FieldFor(token.Length));
        int at = 1 + ExtendedField.WriteExtension(destination[1..], length);
        destination[at++] = message.Code.Value;
        return at + TokenField.Write(destination[at..], in token);
    }

    private protected override EncodedMessageSize PlanHead(CoapMessage message, EncodedMessageSize plan)
    {
        ThrowIfReserved(message);
        if (plan.Body > ExtendedField.MaxFourBytes)
        {
            throw new ArgumentException(
                $"Options and payload take {plan.Body} bytes; {ExtendedField.MaxFourBytes} is the most that a frame can have (RFC 8323 "
                    + "section 3.2).", nameof(message));
        }

        return plan with { Head = 2 + ExtendedField.SizeOfExtensionFor(plan.Body) + TokenField.SizeOf(message.Token) };
    }

    // Byte by byte, and no step looks ahead: what is wrong with a beginning does not change with what follows.
    private protected override CoapFormatError ReadHead(ReadOnlySpan<byte> first, long available, out MessageHead head)
    {
        head = default;
        if (first.IsEmpty)
        {
            return default;
        }

        int tokenField = first[0] & 0x0f;
        if (TokenField.IsReserved(tokenField, Options.MaxTokenLength))
        {
            return new CoapFormatError(CoapMessageFormatViolation.TokenLengthReserved, 0);
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
            return new CoapFormatError(CoapMessageFormatViolation.MessageTooLarge, MaxMessageSize);
        }

        if (first.Length == offset)
        {
            return default;
        }

        CoapCode code = new(first[offset]);
        if (IsReserved(code))
        {
            return new CoapFormatError(CoapMessageFormatViolation.CodeReserved, offset);
        }

        offset++;
        if (!TokenField.TryReadLength(first, tokenField, ref offset, out int tokenLength))
        {
            return default;
        }

        if (tokenLength > Options.MaxTokenLength)
        {
            return new CoapFormatError(CoapMessageFormatViolation.TokenTooLong, 0);
        }

        head = new MessageHead { Code = code, TokenOffset = offset, TokenLength = tokenLength, Length = offset + tokenLength + body };
        return head.Length > MaxMessageSize ? new CoapFormatError(CoapMessageFormatViolation.MessageTooLarge, MaxMessageSize) : default;
    }

    /// <summary>Class 7 is signalling here (RFC 8323 section 5); the others stay reserved.</summary>
    internal static bool IsReserved(CoapCode code) => code.IsReserved && !code.IsSignalling;

    /// <summary>Refuses to write a code of a reserved class.</summary>
    internal static void ThrowIfReserved(CoapMessage message)
    {
        if (IsReserved(message.Code))
        {
            throw new ArgumentException($"The class of code {message.Code} is reserved (RFC 7252 section 3).", nameof(message));
        }
    }
}
