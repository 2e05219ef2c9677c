using System.Buffers.Binary;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>Lists of numbers of two bytes each, as vectors of cipher suites, groups and signature algorithms hold them.</summary>
internal static class NumberList
{
    /// <summary>Whether a list has a number. An odd byte at its end counts for nothing.</summary>
    /// <param name="numbers">The list.</param>
    /// <param name="number">The number.</param>
    public static bool Contains(ReadOnlySpan<byte> numbers, ushort number)
    {
        for (; numbers.Length >= sizeof(ushort); numbers = numbers[sizeof(ushort)..])
        {
            if (BinaryPrimitives.ReadUInt16BigEndian(numbers) == number)
            {
                return true;
            }
        }

        return false;
    }
}
