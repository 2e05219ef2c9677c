using System.Buffers.Binary;

namespace CoAP.NET.Tracing;

/// <summary>
/// Finds the start of the payload of an encoded message, and blanks it. In bytes that are not a message, it blanks everything that may be a
/// payload.
/// </summary>
internal static class PayloadRedaction
{
    /// <summary>Replaces the payload by zeros.</summary>
    /// <param name="message">The message: of RFC 7252 section 3, or a frame of RFC 8323 section 3.2.</param>
    /// <param name="isStream">Whether it is a frame.</param>
    public static void Apply(Span<byte> message, bool isStream) => message[StartOf(message, isStream)..].Clear();

    /// <summary>Returns the start of the payload, after its marker; the end of the message if it has none.</summary>
    public static int StartOf(ReadOnlySpan<byte> message, bool isStream)
    {
        int at = isStream ? SkipFrameHead(message) : SkipHead(message);
        while (at < message.Length)
        {
            byte head = message[at];
            if (head == 0xff)
            {
                return at + 1;
            }

            int next = at + 1;
            int delta = head >> 4;
            int length = head & 15;
            if (delta == 15 || length == 15 || !TrySkip(message, delta, ref next, out _)
                || !TrySkip(message, length, ref next, out int size) || next + size > message.Length)
            {
                return at;
            }

            at = next + size;
        }

        return message.Length;
    }

    /// <summary>Returns the length of the part of a frame before its options: Len, code and token (RFC 8323 section 3.2).</summary>
    public static int SkipFrameHead(ReadOnlySpan<byte> frame)
    {
        if (frame.IsEmpty)
        {
            return 0;
        }

        int extended = (frame[0] >> 4) switch { 13 => 1, 14 => 2, 15 => 4, _ => 0 };
        return SkipToken(frame, 2 + extended, frame[0] & 15);
    }

    private static int SkipHead(ReadOnlySpan<byte> message) => message.Length < 4 ? message.Length : SkipToken(message, 4, message[0] & 15);

    // Long tokens: RFC 8974 section 2.1.
    private static int SkipToken(ReadOnlySpan<byte> message, int at, int length) =>
        at <= message.Length && length < 15 && TrySkip(message, length, ref at, out int size)
            ? Math.Min(at + size, message.Length)
            : Math.Min(at, message.Length);

    private static bool TrySkip(ReadOnlySpan<byte> message, int nibble, ref int at, out int value)
    {
        value = nibble;
        int bytes = nibble switch { 13 => 1, 14 => 2, _ => 0 };
        if (at + bytes > message.Length)
        {
            return false;
        }

        if (bytes == 1)
        {
            value = 13 + message[at];
        }
        else if (bytes == 2)
        {
            value = 269 + BinaryPrimitives.ReadUInt16BigEndian(message[at..]);
        }

        at += bytes;
        return true;
    }
}
