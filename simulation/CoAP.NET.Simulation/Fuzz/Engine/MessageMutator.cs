namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// Mutations that know how a message is built: header fields, token length, options put in, taken out, swapped, renumbered and cut, block
/// numbers, Observe values, the payload marker. They change the bytes where they lie, so that a message need not be sound to be changed
/// further.
/// </summary>
internal sealed class MessageMutator(WireShape shape)
{
    private static readonly int[] s_numbers = [0, 1, 3, 4, 5, 6, 7, 8, 9, 11, 12, 14, 15, 16, 17, 19, 20, 21, 23, 27, 28, 31, 35, 39, 60,
        128, 140, 252, 258, 292, 2049, 65000, 65535];
    private static readonly byte[] s_codes =
    [
        0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x1f, 0x20, 0x41, 0x42, 0x43, 0x44, 0x45, 0x5f, 0x60, 0x80, 0x81, 0x82, 0x84,
        0x88, 0x8d, 0x96, 0x9d, 0xa0, 0xa3, 0xa8, 0xc0,
        0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe8,
    ];

    private static readonly byte[] s_token = [0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab, 0xac];
    private readonly int[] _starts = new int[ReferenceMessage.MaxOptions + 2];

    /// <summary>Makes one change to the message between two places.</summary>
    public void Mutate(FuzzBuffer buffer, int from, int to, FuzzRandom random)
    {
        if (to - from < shape.HeaderSize)
        {
            buffer.Insert(to, [random.NextByte()]);
            return;
        }

        // Where options begin; the last one is where they end.
        int options = WireWalker.Walk(buffer.Span[from..to], shape, _starts);
        int choice = random.Below(options > 1 ? 16 : 9);
        switch (choice)
        {
            case 0:
                buffer[from + shape.CodeAt(buffer[from])] = random.Pick(s_codes);
                break;
            case 1:
                // Token length, with or without the bytes that belong to it.
                int length = random.OneOf(3) ? random.Below(16) : random.Below(9);
                int token = buffer[from] & 15;
                buffer[from] = (byte)((buffer[from] & 0xf0) | length);
                if (random.OneOf(2) && length < 9 && token < 9)
                {
                    int at = Math.Min(from + shape.TokenAt(buffer[from]), to);
                    buffer.Replace(at, Math.Min(token, to - at), s_token.AsSpan(0, length));
                }

                break;
            case 2 when shape.IsDatagram:
                buffer[from] ^= (byte)(random.OneOf(8) ? 0x40 << random.Below(2) : 0x10 << random.Below(2));
                break;
            case 2:
                // The length field of a frame.
                buffer[from] = (byte)((buffer[from] & 15) | (random.Below(16) << 4));
                break;
            case 3 when shape.IsDatagram && to - from >= 4:
                int mid = BinaryPrimitives.ReadUInt16BigEndian(buffer.Span[(from + 2)..]);
                mid = random.Below(4) switch { 0 => mid + 1, 1 => mid - 1, 2 => random.Below(16), _ => random.Below(65536) };
                BinaryPrimitives.WriteUInt16BigEndian(buffer.Span[(from + 2)..], (ushort)mid);
                break;
            case 4:
                buffer.Insert(from + _starts[options - 1 < 0 ? 0 : options - 1], [0xff]);
                break;
            case 5:
                buffer.Insert(to, [0xff, .. "payload"u8]);
                break;
            case 6 or 7 or 8 or 3 or 9:
                InsertOption(buffer, from, options, random);
                break;
            default:
                ChangeOption(buffer, from, options, choice, random);
                break;
        }
    }

    private void InsertOption(FuzzBuffer buffer, int from, int options, FuzzRandom random)
    {
        int place = random.Below(options);
        int before = WireWalker.NumberBefore(buffer.Span[from..], _starts, place);
        int number = random.Pick(s_numbers);
        int delta = number >= before && !random.OneOf(8) ? number - before : random.Below(30);
        Span<byte> value = stackalloc byte[random.Below(40) switch
        {
            0 => 13,
            1 => 269,
            2 => 60,
            < 12 => 0,
            < 26 => 1,
            < 32 => 2,
            < 35 => 3,
            _ => 1 + random.Below(12)
        }];
        FillValue(value, random);
        Span<byte> head = stackalloc byte[5];
        int size = WireWalker.WriteOptionHead(head, delta, value.Length);
        buffer.Insert(from + _starts[place], value);
        buffer.Insert(from + _starts[place], head[..size]);
        FixNext(buffer, from + _starts[place] + size + value.Length, delta, random);
    }

    // What follows keeps its number when that is simple: the next delta gets smaller by what went before it.
    private static void FixNext(FuzzBuffer buffer, int next, int delta, FuzzRandom random)
    {
        if (next < buffer.Length && buffer[next] != 0xff && buffer[next] >> 4 < 13 && buffer[next] >> 4 >= delta && !random.OneOf(4))
        {
            buffer[next] -= (byte)(delta << 4);
        }
    }

    private void ChangeOption(FuzzBuffer buffer, int from, int options, int choice, FuzzRandom random)
    {
        int index = random.Below(options - 1);
        int at = from + _starts[index];
        int length = from + _starts[index + 1] - at;
        switch (choice)
        {
            case 10:
                int delta = buffer[at] >> 4;
                buffer.Delete(at, length);
                if (at < buffer.Length && buffer[at] != 0xff && (buffer[at] >> 4) + delta < 13 && !random.OneOf(4))
                {
                    buffer[at] += (byte)(delta << 4);
                }

                break;
            case 11:
                // Once more, with delta 0 for a repetition.
                buffer.Insert(at + length, buffer.Span.Slice(at, length));
                if (buffer[at + length] >> 4 < 13 && !random.OneOf(4))
                {
                    buffer[at + length] &= 0x0f;
                }

                break;
            case 12:
                buffer[at] = (byte)((buffer[at] & 0x0f) | (random.Below(16) << 4));
                break;
            case 13:
                buffer[at] = (byte)((buffer[at] & 0xf0) | random.Below(16));
                break;
            case 14 when options > 2:
                int other = from + _starts[(index + 1) % (options - 1)];
                byte low = (byte)(buffer[at] & 0x0f);
                buffer[at] = (byte)((buffer[at] & 0xf0) | (buffer[other] & 0x0f));
                buffer[other] = (byte)((buffer[other] & 0xf0) | low);
                break;
            default:
                int head = 1 + WireWalker.ExtensionSize(buffer[at] >> 4) + WireWalker.ExtensionSize(buffer[at] & 15);
                if (head < length)
                {
                    FillValue(buffer.Span.Slice(at + head, length - head), random);
                }

                break;
        }
    }

    // Numbers that mean something in Block, Observe and lengths; else anything.
    private static void FillValue(Span<byte> value, FuzzRandom random)
    {
        int kind = random.Below(4);
        if (kind == 0)
        {
            value.Clear();
        }
        else if (kind == 1 && value.Length > 0)
        {
            value.Clear();
            value[^1] = (byte)((random.Below(16) << 4) | (random.Below(2) << 3) | random.Below(8));
        }
        else if (kind == 2)
        {
            value.Fill((byte)('a' + random.Below(26)));
        }
        else
        {
            foreach (ref byte one in value)
            {
                one = random.NextByte();
            }
        }
    }
}
