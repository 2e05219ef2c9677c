namespace CoAP.NET.Content;

/// <summary>The list of missing blocks in a 4.08: block numbers as a CBOR sequence, Content-Format 272 (RFC 9177 section 5).</summary>
internal static class MissingBlocks
{
    /// <summary>Writes a list.</summary>
    /// <param name="numbers">The block numbers, ascending.</param>
    public static byte[] Write(IEnumerable<int> numbers)
    {
        CborWriter writer = new();
        foreach (int number in numbers)
        {
            writer.WriteUInt((ulong)number);
        }

        return writer.ToArray();
    }

    /// <summary>Reads a list. Repeats and a wrong order are let through: the receiver of the list knows what it sent.</summary>
    /// <param name="payload">The payload.</param>
    /// <param name="maxNumber">The largest number that is legal.</param>
    /// <param name="numbers">The numbers, in the order of the list.</param>
    /// <param name="fault">What is wrong.</param>
    public static bool TryRead(ReadOnlySpan<byte> payload, int maxNumber, out List<int> numbers, out ContentFault fault)
    {
        CborReader reader = new(payload);
        numbers = [];
        while (!reader.IsAtEnd)
        {
            int start = reader.Position;
            if (!reader.TryReadUInt(out ulong number))
            {
                fault = reader.Fault;
                return false;
            }

            if (number > (ulong)maxNumber)
            {
                fault = new ContentFault(start, $"a block number is {maxNumber} at most");
                return false;
            }

            numbers.Add((int)number);
        }

        fault = default;
        return true;
    }
}
