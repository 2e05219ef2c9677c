using System.Buffers.Binary;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>Reads the kind of a message from its head (RFC 7252 sections 3 and 12.1), without the rest.</summary>
internal static class CoapHeaderReader
{
    private const int CodeOffset = 1;
    private const int HeaderLength = 4;
    private const int ClassShift = 5;
    private const byte Empty = 0;
    private const byte Get = 1;
    private const byte Fetch = 5;
    private const byte IsReply = 0x20;
    private const int NibbleMask = 0x0F;
    private const int NibbleBits = 4;
    private const int OneByteMore = 13;
    private const int TwoBytesMore = 14;
    private const int TwoBytesFrom = 269;
    private const byte PayloadMarker = 0xFF;
    private const int Observe = 6;

    /// <summary>Whether it is a request.</summary>
    /// <param name="message">The encoded message.</param>
    public static bool IsRequest(ReadOnlySpan<byte> message) =>
        message.Length > CodeOffset && message[CodeOffset] >> ClassShift == 0 && message[CodeOffset] != Empty;

    /// <summary>Whether it is a request that may change something.</summary>
    /// <param name="message">The encoded message.</param>
    public static bool IsUnsafeRequest(ReadOnlySpan<byte> message) =>
        IsRequest(message) && message[CodeOffset] is not (Get or Fetch);

    /// <summary>
    /// Whether it proves that its sender receives from us: an acknowledgement, a Reset or a response. Requests and notifications (RFC 7641)
    /// can also come from a server that receives nothing from us.
    /// </summary>
    /// <param name="message">The encoded message.</param>
    public static bool IsReaction(ReadOnlySpan<byte> message) =>
        message.Length > CodeOffset
        && ((message[0] & IsReply) != 0 || (message[CodeOffset] >> ClassShift != 0 && !IsNotification(message)));

    // Whether it has the Observe option, which has few options before it in a response.
    private static bool IsNotification(ReadOnlySpan<byte> message)
    {
        int at = HeaderLength;
        if (!TryReadLength(message, message[0] & NibbleMask, ref at, out int token))
        {
            return false;
        }

        at += token;
        for (int number = 0; at < message.Length && message[at] != PayloadMarker;)
        {
            byte head = message[at++];
            if (!TryReadLength(message, head >> NibbleBits, ref at, out int delta)
                || !TryReadLength(message, head & NibbleMask, ref at, out int length)
                || (number += delta) > Observe)
            {
                return false;
            }

            if (number == Observe)
            {
                return true;
            }

            at += length;
        }

        return false;
    }

    // A length or a delta with extended bytes (RFC 7252 section 3.1, RFC 8974 section 2.1).
    private static bool TryReadLength(ReadOnlySpan<byte> message, int nibble, ref int at, out int length)
    {
        length = nibble;
        switch (nibble)
        {
            case OneByteMore when at < message.Length:
                length += message[at++];
                return true;
            case TwoBytesMore when at + 1 < message.Length:
                length = BinaryPrimitives.ReadUInt16BigEndian(message[at..]) + TwoBytesFrom;
                at += 2;
                return true;
            default:
                return nibble < OneByteMore;
        }
    }
}
