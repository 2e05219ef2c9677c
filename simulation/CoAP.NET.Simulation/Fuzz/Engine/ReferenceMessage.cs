namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// A second reader of the wire formats, written from the RFCs alone and without any thought of speed: what the library reads is held
/// against it, field by field (RFC 7252 section 3, RFC 8323 sections 3.2 and 4.2, RFC 8974 section 2.1).
/// </summary>
internal sealed class ReferenceMessage
{
    /// <summary>How many options the library takes by default.</summary>
    public const int MaxOptions = 256;

    public int[] Numbers { get; } = new int[MaxOptions];

    public int[] ValueAt { get; } = new int[MaxOptions];

    public int[] ValueLength { get; } = new int[MaxOptions];

    public int Type { get; private set; }

    public int Code { get; private set; }

    public int MessageId { get; private set; }

    public int TokenAt { get; private set; }

    public int TokenLength { get; private set; }

    public int Options { get; private set; }

    /// <summary>Where the payload begins; the end when there is none.</summary>
    public int PayloadAt { get; private set; }

    /// <summary>The end of the message; for a frame that is not all there what it needs.</summary>
    public long End { get; private set; }

    public bool ReadDatagram(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < 4 || bytes[0] >> 6 != 1)
        {
            return false;
        }

        Type = (bytes[0] >> 4) & 3;
        Code = bytes[1];
        MessageId = (bytes[2] << 8) | bytes[3];
        End = bytes.Length;
        return Code >> 5 is not (1 or 3 or 6 or 7) && ReadToken(bytes, 4) && (Code != 0 || bytes.Length == 4) && ReadBody(bytes);
    }

    public bool ReadWebSocket(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < 2 || bytes[0] >> 4 != 0)
        {
            return false;
        }

        Type = MessageId = 0;
        Code = bytes[1];
        End = bytes.Length;
        return Code >> 5 is not (1 or 3 or 6) && ReadToken(bytes, 2) && ReadBody(bytes);
    }

    /// <summary>Reads the first frame.</summary>
    /// <param name="bytes">The bytes of a stream.</param>
    /// <returns>Whether it is a message; null when it is not all there, and nothing is wrong so far.</returns>
    public bool? ReadFrame(ReadOnlySpan<byte> bytes)
    {
        const long maxSize = 1024 * 1024;
        Type = MessageId = 0;
        if (bytes.IsEmpty)
        {
            return null;
        }

        if ((bytes[0] & 15) == 15)
        {
            return false;
        }

        int extension = (bytes[0] >> 4) switch { 13 => 1, 14 => 2, 15 => 4, _ => 0 };
        if (bytes.Length < 1 + extension)
        {
            return null;
        }

        long body = 0;
        foreach (byte one in bytes.Slice(1, extension))
        {
            body = (body << 8) | one;
        }

        body += extension switch { 1 => 13, 2 => 269, 4 => 65_805, _ => bytes[0] >> 4 };
        if (2 + extension + body > maxSize)
        {
            return false;
        }

        if (bytes.Length < 2 + extension)
        {
            return null;
        }

        Code = bytes[1 + extension];
        if (Code >> 5 is 1 or 3 or 6)
        {
            return false;
        }

        int tokenExtension = (bytes[0] & 15) switch { 13 => 1, 14 => 2, _ => 0 };
        if (bytes.Length < 2 + extension + tokenExtension)
        {
            return null;
        }

        bool hasToken = ReadToken(bytes, 2 + extension);
        End = TokenAt + (long)TokenLength + body;
        return End > maxSize ? false : !hasToken || End > bytes.Length ? null : ReadBody(bytes[..(int)End]);
    }

    private bool ReadToken(ReadOnlySpan<byte> bytes, int at)
    {
        int field = bytes[0] & 15;
        int extension = field switch { 13 => 1, 14 => 2, _ => 0 };
        if (field == 15 || bytes.Length < at + extension)
        {
            return false;
        }

        TokenLength = field switch
        {
            13 => 13 + bytes[at],
            14 => 269 + (bytes[at] << 8) + bytes[at + 1],
            _ => field,
        };
        TokenAt = at + extension;
        return TokenAt + TokenLength <= bytes.Length;
    }

    private bool ReadBody(ReadOnlySpan<byte> bytes)
    {
        Options = 0;
        PayloadAt = bytes.Length;
        int number = 0;
        for (int at = TokenAt + TokenLength; at < bytes.Length;)
        {
            byte head = bytes[at++];
            if (head == 0xff)
            {
                PayloadAt = at;
                return at < bytes.Length;
            }

            if (!ReadNumber(bytes, head >> 4, ref at, out int delta) || !ReadNumber(bytes, head & 15, ref at, out int length)
                || number + delta > 65_535 || at + length > bytes.Length || Options == MaxOptions)
            {
                return false;
            }

            number += delta;
            (Numbers[Options], ValueAt[Options], ValueLength[Options]) = (number, at, length);
            Options++;
            at += length;
        }

        return true;
    }

    private static bool ReadNumber(ReadOnlySpan<byte> bytes, int nibble, ref int at, out int value)
    {
        value = nibble;
        int size = nibble switch { 13 => 1, 14 => 2, _ => 0 };
        if (nibble == 15 || at + size > bytes.Length)
        {
            return false;
        }

        value = size switch
        {
            1 => 13 + bytes[at],
            2 => 269 + (bytes[at] << 8) + bytes[at + 1],
            _ => nibble,
        };
        at += size;
        return true;
    }
}
