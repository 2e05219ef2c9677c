namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Finds the options of bytes that need not be a message.</summary>
internal static class WireWalker
{
    /// <summary>Where each option begins, and at the end where they end.</summary>
    /// <returns>How many places were found: one more than there are options.</returns>
    public static int Walk(ReadOnlySpan<byte> message, WireShape shape, int[] starts)
    {
        int at = shape.TokenAt(message[0]);
        int token = message[0] & 15;
        at += token switch
        {
            13 => 14 + (at < message.Length ? message[at] : 0),
            14 => 271,
            15 => 0,
            _ => token,
        };
        at = Math.Min(at, message.Length);
        int count = 0;
        while (count < starts.Length - 1)
        {
            starts[count++] = at;
            if (at >= message.Length || message[at] == 0xff)
            {
                break;
            }

            int size = OptionSize(message[at..]);
            if (size < 0 || at + size > message.Length)
            {
                break;
            }

            at += size;
        }

        return count;
    }

    /// <summary>The number that the option before a place has.</summary>
    public static int NumberBefore(ReadOnlySpan<byte> message, int[] starts, int place)
    {
        int number = 0;
        for (int i = 0; i < place; i++)
        {
            ReadOnlySpan<byte> option = message[starts[i]..];
            number += (option[0] >> 4) switch
            {
                13 => 13 + option[1],
                14 => 269 + (option[1] << 8) + option[2],
                int delta => delta,
            };
        }

        return number;
    }

    public static int ExtensionSize(int nibble) => nibble switch { 13 => 1, 14 => 2, _ => 0 };

    public static int WriteOptionHead(Span<byte> head, int delta, int length)
    {
        head[0] = (byte)((Nibble(delta) << 4) | Nibble(length));
        int at = 1;
        Extend(head, delta, ref at);
        Extend(head, length, ref at);
        return at;
    }

    private static int Nibble(int value) => value < 13 ? value : value < 269 ? 13 : 14;

    private static void Extend(Span<byte> head, int value, ref int at)
    {
        if (value >= 269)
        {
            head[at++] = (byte)((value - 269) >> 8);
            head[at++] = (byte)(value - 269);
        }
        else if (value >= 13)
        {
            head[at++] = (byte)(value - 13);
        }
    }

    // -1 for no option.
    private static int OptionSize(ReadOnlySpan<byte> option)
    {
        int delta = option[0] >> 4;
        int length = option[0] & 15;
        int at = 1 + ExtensionSize(delta);
        if (delta == 15 || length == 15 || at + ExtensionSize(length) > option.Length)
        {
            return -1;
        }

        return at + length switch
        {
            13 => 1 + 13 + option[at],
            14 => 2 + 269 + (option[at] << 8) + option[at + 1],
            _ => length,
        };
    }
}

/// <summary>Which of the wire formats bytes are in, as far as mutations need to know it.</summary>
/// <param name="IsDatagram">RFC 7252 section 3; otherwise RFC 8323 section 3.2.</param>
internal readonly record struct WireShape(bool IsDatagram)
{
    public int HeaderSize => IsDatagram ? 4 : 2;

    /// <summary>Where the code stands.</summary>
    public int CodeAt(byte first) => IsDatagram ? 1 : 1 + LengthExtension(first);

    /// <summary>Where the token, or the extension of its length, begins.</summary>
    public int TokenAt(byte first) => IsDatagram ? 4 : 2 + LengthExtension(first);

    private static int LengthExtension(byte first) => (first >> 4) switch { 13 => 1, 14 => 2, 15 => 4, _ => 0 };
}
