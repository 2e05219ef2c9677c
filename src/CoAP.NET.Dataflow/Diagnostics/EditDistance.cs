namespace CoAP.NET.Diagnostics;

/// <summary>
/// The number of letters to change, remove, insert or swap with the next to turn one word into another, case-insensitive.
/// </summary>
/// <remarks>The time is that of the product of both lengths. Words of more than 128 letters are therefore similar to none.</remarks>
internal static class EditDistance
{
    private const int MaxLength = 128;

    /// <summary>Returns the word that a misspelled one most likely means; null if none is similar.</summary>
    /// <param name="word">The word.</param>
    /// <param name="known">The known words.</param>
    public static string? Nearest(string word, IEnumerable<string> known) =>
        known.MinBy(one => Of(word, one)) is { } near && Of(word, near) <= Math.Max(2, word.Length / 3) ? near : null;

    public static int Of(string left, string right)
    {
        if (Math.Max(left.Length, right.Length) > MaxLength)
        {
            return Math.Max(left.Length, right.Length);
        }

        int[,] distance = new int[left.Length + 1, right.Length + 1];
        for (int i = 0; i <= left.Length; i++)
        {
            for (int j = 0; j <= right.Length; j++)
            {
                if (i == 0 || j == 0)
                {
                    distance[i, j] = i + j;
                    continue;
                }

                int change = distance[i - 1, j - 1] + (IsSame(left[i - 1], right[j - 1]) ? 0 : 1);
                int best = Math.Min(change, Math.Min(distance[i - 1, j], distance[i, j - 1]) + 1);
                bool isSwap = i > 1 && j > 1 && IsSame(left[i - 1], right[j - 2]) && IsSame(left[i - 2], right[j - 1]);
                distance[i, j] = isSwap ? Math.Min(best, distance[i - 2, j - 2] + 1) : best;
            }
        }

        return distance[left.Length, right.Length];
    }

    private static bool IsSame(char left, char right) => char.ToUpperInvariant(left) == char.ToUpperInvariant(right);
}
