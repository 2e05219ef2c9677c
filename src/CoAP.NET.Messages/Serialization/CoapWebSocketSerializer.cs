using CoAP.NET.Serialization;

namespace CoAP.NET;

/// <summary>
/// The message format of WebSockets (RFC 8323 section 4.2), with extended token lengths (RFC 8974 section 2.1): that of TCP
/// (<see cref="CoapStreamSerializer"/>) with a length field of 0, as each WebSocket message is one CoAP message, and ends with its source.
/// </summary>
/// <remarks>
/// <code> 0 1 2 3 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ | Len=0 | TKL | Code | Token (if any, TKL bytes) ...
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ | Options (if any) ...
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ |1 1 1 1 1 1 1 1| Payload (if any) ...
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+ </code> A length that is not 0 is an error. Thread-safe.
/// </remarks>
public sealed class CoapWebSocketSerializer : CoapMessageSerializer
{
    /// <summary>Creates a serializer.</summary>
    /// <param name="options">Factories and limits; copied. Default: all that this library knows, messages up to 1 MiB.</param>
    public CoapWebSocketSerializer(CoapSerializerOptions? options = null)
        : base(options, CoapStreamSerializer.DefaultMaxMessageSize)
    {
    }

    /// <summary>The serializer with default options.</summary>
    public static CoapWebSocketSerializer Default { get; } = new();

    internal override bool EndsWithSource => true;

    internal override int WriteHead(Span<byte> destination, CoapMessage message, in EncodedMessageSize plan) =>
        CoapStreamSerializer.WriteHead(destination, message, length: 0);

    private protected override EncodedMessageSize PlanHead(CoapMessage message, EncodedMessageSize plan)
    {
        CoapStreamSerializer.ThrowIfReserved(message);
        return plan with { Head = 2 + TokenField.SizeOf(message.Token) };
    }

    private protected override CoapFormatError ReadHead(ReadOnlySpan<byte> first, long available, out MessageHead head)
    {
        head = default;
        if (!first.IsEmpty && first[0] >> 4 != 0)
        {
            return new CoapFormatError(CoapMessageFormatViolation.LengthNotZero, 0);
        }

        if (!first.IsEmpty && TokenField.IsReserved(first[0], Options.MaxTokenLength))
        {
            return new CoapFormatError(CoapMessageFormatViolation.TokenLengthReserved, 0);
        }

        if (available < 2)
        {
            return new CoapFormatError(CoapMessageFormatViolation.HeaderTruncated, available);
        }

        if (available > MaxMessageSize)
        {
            return new CoapFormatError(CoapMessageFormatViolation.MessageTooLarge, MaxMessageSize);
        }

        CoapCode code = new(first[1]);
        if (CoapStreamSerializer.IsReserved(code))
        {
            return new CoapFormatError(CoapMessageFormatViolation.CodeReserved, 1);
        }

        int offset = 2;
        if (!TokenField.TryReadLength(first, first[0], ref offset, out int tokenLength) || tokenLength > available - offset)
        {
            return new CoapFormatError(CoapMessageFormatViolation.TokenTruncated, available);
        }

        head = new MessageHead { Code = code, TokenOffset = offset, TokenLength = tokenLength, Length = available };
        return tokenLength > Options.MaxTokenLength ? new CoapFormatError(CoapMessageFormatViolation.TokenTooLong, 0) : default;
    }
}
