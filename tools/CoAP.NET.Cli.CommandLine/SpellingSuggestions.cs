namespace CoAP.NET.Cli;

/// <summary>Suggests corrections of mistyped words.</summary>
internal static class SpellingSuggestions
{
    /// <summary>Returns the most similar word; null if none is similar.</summary>
    public static string? Closest(string word, IEnumerable<string> candidates)
    {
        // Less similar words are different words.
        int most = Math.Min(2, (word.TrimStart('-').Length + 1) / 2);
        return candidates.Select(candidate => (Candidate: candidate, Distance: Distance(word, candidate)))
            .Where(found => found.Distance <= most
                || (word.Length > 4 && found.Candidate.StartsWith(word, StringComparison.OrdinalIgnoreCase)))
            .OrderBy(found => found.Distance)
            .ThenBy(found => found.Candidate, StringComparer.Ordinal)
            .Select(found => found.Candidate)
            .FirstOrDefault();
    }

    // The number of letters to insert, remove, replace or swap with the next.
    private static int Distance(string left, string right)
    {
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

                bool isSame = char.ToLowerInvariant(left[i - 1]) == char.ToLowerInvariant(right[j - 1]);
                int best = Math.Min(Math.Min(distance[i - 1, j], distance[i, j - 1]) + 1, distance[i - 1, j - 1] + (isSame ? 0 : 1));
                bool isSwap = i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
                distance[i, j] = isSwap ? Math.Min(best, distance[i - 2, j - 2] + 1) : best;
            }
        }

        return distance[left.Length, right.Length];
    }
}
