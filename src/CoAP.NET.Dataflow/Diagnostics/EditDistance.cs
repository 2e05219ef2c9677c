namespace CoAP.NET.Diagnostics;

/// <summary>The number of letters to change, remove or insert to turn one word into another (Levenshtein), case-insensitive.</summary>
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

        int[] row = [.. Enumerable.Range(0, right.Length + 1)];
        for (int i = 0; i < left.Length; i++)
        {
            (int diagonal, row[0]) = (row[0], i + 1);
            for (int j = 0; j < right.Length; j++)
            {
                int change = diagonal + (char.ToUpperInvariant(left[i]) == char.ToUpperInvariant(right[j]) ? 0 : 1);
                diagonal = row[j + 1];
                row[j + 1] = Math.Min(change, Math.Min(row[j], diagonal) + 1);
            }
        }

        return row[^1];
    }
}
