using CoAP.NET.Serialization;
using System.Buffers.Binary;

namespace CoAP.NET;

/// <summary>The message format of datagrams (RFC 7252 section 3), with extended token lengths (RFC 8974 section 2.1).</summary>
/// <remarks>
/// <code> 0 1 2 3 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ |Ver| T | TKL | Code | Message ID |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ | Token (if any, TKL bytes) ...
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ | Options (if any) ...
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ |1 1 1 1 1 1 1 1| Payload (if any) ...
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ </code> Rules are checked in this order: version, header, token
/// length, size, token, code (an Empty message has exactly 4 bytes; classes 1, 3, 6 and 7 are reserved), then options and payload as they
/// come. Thread-safe.
/// </remarks>
public sealed class CoapDatagramSerializer : CoapMessageSerializer
{
    private const int HeaderSize = 4;
    private const int Version = 1;
    private const int DefaultMaxMessageSize = 65_535;

    /// <summary>Creates a serializer.</summary>
    /// <param name="options">Factories and limits; copied. Default: all options that this library knows, messages up to 65,535
    /// bytes.</param>
    public CoapDatagramSerializer(CoapSerializerOptions? options = null)
        : base(options, DefaultMaxMessageSize)
    {
    }

    /// <summary>The serializer with default options.</summary>
    public static CoapDatagramSerializer Default { get; } = new();

    internal override bool EndsWithSource => true;

    /// <summary>
    /// Reads type and Message ID of bytes that need not be a valid message: the data for an answer to a malformed message (RFC 7252 section
    /// 4.2).
    /// </summary>
    /// <param name="source">The bytes.</param>
    /// <param name="type">The type.</param>
    /// <param name="messageId">The Message ID.</param>
    /// <returns>Whether there is a whole header of version 1.</returns>
    internal static bool TryReadHeader(ReadOnlySpan<byte> source, out CoapMessageType type, out ushort messageId)
    {
        type = default;
        messageId = 0;
        if (source.Length < HeaderSize || source[0] >> 6 != Version)
        {
            return false;
        }

        type = TypeOf(source[0]);
        messageId = BinaryPrimitives.ReadUInt16BigEndian(source[2..]);
        return true;
    }

    /// <summary>
    /// Reads header and token of bytes that need not be a valid message, independent of the limits: the data for a response with the token
    /// (4.00 to a token that is too long, RFC 8974 section 2.2.3; 4.13 to a message that is too large).
    /// </summary>
    /// <param name="source">The bytes.</param>
    /// <param name="message">A message of type, code, Message ID and token, without options and payload.</param>
    /// <returns>Whether header and token are complete, and the code is neither 0.00 nor of a reserved class.</returns>
    internal static bool TryReadToken(ReadOnlySpan<byte> source,
        [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out CoapMessage? message)
    {
        message = null;
        if (!TryReadHeader(source, out _, out _) || (source[0] & 0x0f) == ExtendedField.Reserved)
        {
            return false;
        }

        MessageHead head = HeadOf(source, source.Length, out bool hasToken);
        if (!hasToken || head.Code.IsReserved || head.Code.IsEmpty)
        {
            return false;
        }

        message = MakeHead(in head, source);
        return true;
    }

    internal override int WriteHead(Span<byte> destination, CoapMessage message, in EncodedMessageSize plan)
    {
        CoapToken token = message.Token;
        destination[0] = (byte)((Version << 6) | ((int)message.Type << 4) | ExtendedField.FieldFor(token.Length));
        destination[1] = message.Code.Value;
        BinaryPrimitives.WriteUInt16BigEndian(destination[2..], message.MessageId);
        return HeaderSize + TokenField.Write(destination[HeaderSize..], in token);
    }

    private protected override EncodedMessageSize PlanHead(CoapMessage message, EncodedMessageSize plan)
    {
        if (message.Code.IsReserved)
        {
            throw new ArgumentException($"The class of code {message.Code} is reserved in datagrams (RFC 7252 section 3).",
                nameof(message));
        }

        if (message.Type > CoapMessageType.Reset)
        {
            throw new ArgumentException($"There is no message type {message.Type} (RFC 7252 section 3).", nameof(message));
        }

        return plan with { Head = HeaderSize + TokenField.SizeOf(message.Token) };
    }

    private protected override CoapFormatError ReadHead(ReadOnlySpan<byte> first, long available, out MessageHead head)
    {
        head = default;
        if (!first.IsEmpty && first[0] >> 6 != Version)
        {
            return new CoapFormatError(CoapMessageFormatViolation.UnknownVersion, 0);
        }

        if (available < HeaderSize)
        {
            return new CoapFormatError(CoapMessageFormatViolation.HeaderTruncated, available);
        }

        if (TokenField.IsReserved(first[0] & 0x0f, Options.MaxTokenLength))
        {
            return new CoapFormatError(CoapMessageFormatViolation.TokenLengthReserved, 0);
        }

        if (available > MaxMessageSize)
        {
            return new CoapFormatError(CoapMessageFormatViolation.MessageTooLarge, MaxMessageSize);
        }

        head = HeadOf(first, available, out bool hasToken);
        if (!hasToken)
        {
            return new CoapFormatError(CoapMessageFormatViolation.TokenTruncated, available);
        }

        if (head.TokenLength > Options.MaxTokenLength)
        {
            return new CoapFormatError(CoapMessageFormatViolation.TokenTooLong, 0);
        }

        if (head.Code.IsEmpty && available > HeaderSize)
        {
            return new CoapFormatError(CoapMessageFormatViolation.EmptyNotEmpty, HeaderSize);
        }

        return head.Code.IsReserved ? new CoapFormatError(CoapMessageFormatViolation.CodeReserved, 1) : default;
    }

    private static MessageHead HeadOf(ReadOnlySpan<byte> first, long available, out bool hasToken)
    {
        int offset = HeaderSize;
        hasToken = TokenField.TryReadLength(first, first[0] & 0x0f, ref offset, out int length) && length <= available - offset;
        return new MessageHead
        {
            Type = TypeOf(first[0]),
            Code = new CoapCode(first[1]),
            MessageId = BinaryPrimitives.ReadUInt16BigEndian(first[2..]),
            TokenOffset = offset,
            TokenLength = length,
            Length = available,
        };
    }

    private static CoapMessageType TypeOf(byte first) => (CoapMessageType)((first >> 4) & 3);
}
