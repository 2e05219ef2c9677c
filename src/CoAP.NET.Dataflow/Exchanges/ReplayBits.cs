namespace CoAP.NET.Exchanges;

/// <summary>
/// Tracks which of the newest numbers were received. The state is the highest number plus one and a ring of bits, one for each of the
/// numbers below: bit n of the ring represents the number that is n modulo the size of the ring. All numbers older than the ring count as
/// received.
/// </summary>
internal static class ReplayBits
{
    private const int WordBits = 64;

    /// <summary>Whether a number is new and not older than the ring.</summary>
    /// <param name="next">The highest received number plus one; 0 for none.</param>
    /// <param name="ring">The bits.</param>
    /// <param name="number">The number.</param>
    public static bool Takes(ulong next, ReadOnlySpan<ulong> ring, ulong number) =>
        number >= next
        || (next - 1 - number < (ulong)ring.Length * WordBits && (ring[WordOf(number, ring.Length)] & BitOf(number)) == 0);

    /// <summary>Records a number that <see cref="Takes"/> accepts.</summary>
    /// <param name="next">The highest received number plus one.</param>
    /// <param name="ring">The bits.</param>
    /// <param name="number">The number.</param>
    public static void Add(ref ulong next, Span<ulong> ring, ulong number)
    {
        if (number >= next)
        {
            Free(next, ring, number);
            next = number + 1;
        }

        ring[WordOf(number, ring.Length)] |= BitOf(number);
    }

    // Frees the bits of the numbers that enter the window; they still represent older ones.
    private static void Free(ulong next, Span<ulong> ring, ulong last)
    {
        if (last - next >= (ulong)ring.Length * WordBits)
        {
            ring.Clear();
            return;
        }

        ulong number = next;
        while (number <= last)
        {
            int shift = (int)(number % WordBits);
            int count = (int)Math.Min((ulong)(WordBits - shift), last - number + 1);
            ring[WordOf(number, ring.Length)] &= ~((ulong.MaxValue >> (WordBits - count)) << shift);
            number += (ulong)count;
        }
    }

    private static int WordOf(ulong number, int words) => (int)(number / WordBits % (ulong)words);

    private static ulong BitOf(ulong number) => 1UL << (int)(number % WordBits);
}
