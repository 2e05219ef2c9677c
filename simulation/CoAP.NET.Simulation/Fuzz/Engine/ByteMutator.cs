namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Mutations that know nothing of what the bytes mean, but for a dictionary of words that matter to the target.</summary>
internal sealed class ByteMutator(IReadOnlyList<byte[]> dictionary)
{
    private static readonly byte[] s_interesting = [0x00, 0x01, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x17, 0x18, 0x1f, 0x20, 0x3f, 0x40, 0x5f,
        0x7f, 0x80, 0xbf, 0xc0, 0xd0, 0xe0, 0xf0, 0xf7, 0xfe, 0xff];

    /// <summary>Makes one change between two places.</summary>
    /// <param name="buffer">What is changed.</param>
    /// <param name="from">Where the part begins.</param>
    /// <param name="to">Behind its end.</param>
    /// <param name="random">Chance.</param>
    /// <param name="other">Another input, to take parts from.</param>
    public void Mutate(FuzzBuffer buffer, int from, int to, FuzzRandom random, ReadOnlySpan<byte> other)
    {
        int length = to - from;
        int at = from + random.Below(length);
        if (length == 0)
        {
            Insert(buffer, from, random);
            return;
        }

        switch (random.Below(12))
        {
            case 0:
                buffer[at] ^= (byte)(1 << random.Below(8));
                break;
            case 1:
                buffer[at] = random.NextByte();
                break;
            case 2:
                buffer[at] = random.Pick(s_interesting);
                break;
            case 3:
                buffer[at] += (byte)(random.Below(2) == 0 ? 1 + random.Below(16) : -1 - random.Below(16));
                break;
            case 4:
                buffer.Delete(at, 1 + random.Below(Math.Min(8, to - at)));
                break;
            case 5:
            case 6:
                Insert(buffer, from + random.Below(length + 1), random);
                break;
            case 7:
                // A part once more, somewhere else.
                int count = 1 + random.Below(Math.Min(32, to - at));
                buffer.Insert(from + random.Below(length + 1), buffer.Span.Slice(at, count));
                break;
            case 8 when other.Length > 0:
                int start = random.Below(other.Length);
                buffer.Insert(at, other.Slice(start, 1 + random.Below(Math.Min(64, other.Length - start))));
                break;
            case 9 when random.OneOf(4):
                buffer.Delete(at, to - at);
                break;
            case 10:
                buffer.Delete(at, random.Below(Math.Min(length, 64)));
                break;
            default:
                if (dictionary.Count > 0)
                {
                    byte[] word = random.Pick(dictionary);
                    buffer.Replace(at, Math.Min(random.Below(word.Length + 1), to - at), word);
                }

                break;
        }
    }

    private void Insert(FuzzBuffer buffer, int at, FuzzRandom random)
    {
        if (dictionary.Count > 0 && !random.OneOf(3))
        {
            buffer.Insert(at, random.Pick(dictionary));
            return;
        }

        // Long runs too: lengths of 13, 269 and more have forms of their own.
        Span<byte> bytes = stackalloc byte[random.OneOf(16) ? 13 + random.Below(300) : 1 + random.Below(8)];
        bytes.Fill(random.NextByte());
        if (random.OneOf(2))
        {
            foreach (ref byte one in bytes)
            {
                one = random.NextByte();
            }
        }

        buffer.Insert(at, bytes);
    }
}
