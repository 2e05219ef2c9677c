using System.Buffers;
using CoAP.NET.Content;

namespace CoAP.NET.QBlock.Server;

/// <summary>The list of missing blocks in a 4.08: block numbers as a CBOR sequence, Content-Format 272 (RFC 9177 section 5).</summary>
internal static class MissingBlockList
{
    /// <summary>Writes a list.</summary>
    /// <param name="numbers">The block numbers, ascending.</param>
    public static byte[] Write(IEnumerable<int> numbers)
    {
        ArrayBufferWriter<byte> list = new();
        foreach (int number in numbers)
        {
            list.Advance(CborHeadWriter.WriteHead(list.GetSpan(CborHeadWriter.MaxHead), CborHeadWriter.UnsignedInteger, (ulong)number));
        }

        return list.WrittenSpan.ToArray();
    }

    /// <summary>Reads a list. Repeats and a wrong order are let through: the receiver of the list knows what it sent.</summary>
    /// <param name="payload">The payload.</param>
    /// <param name="maxNumber">The largest number that is legal.</param>
    /// <param name="numbers">The numbers, in the order of the list.</param>
    /// <returns>Whether all of it are legal numbers.</returns>
    public static bool TryRead(ReadOnlySpan<byte> payload, int maxNumber, out List<int> numbers)
    {
        MinimalCborReader scan = new(payload);
        numbers = [];
        while (!scan.IsAtEnd)
        {
            if (!scan.TryReadHead(out int major, out ulong? number) || major != CborHeadWriter.UnsignedInteger
                || !(number <= (ulong)maxNumber))
            {
                return false;
            }

            numbers.Add((int)number.Value);
        }

        return true;
    }
}
