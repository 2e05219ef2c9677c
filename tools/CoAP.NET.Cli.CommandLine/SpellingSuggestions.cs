using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cli;

/// <summary>Suggests corrections of mistyped words.</summary>
internal static class SpellingSuggestions
{
    /// <summary>Returns the most similar word; null if none is similar.</summary>
    public static string? Closest(string word, IEnumerable<string> candidates)
    {
        // Less similar words are different words.
        int most = Math.Min(2, (word.TrimStart('-').Length + 1) / 2);
        return candidates.Select(candidate => (Candidate: candidate, Distance: EditDistance.Of(word, candidate)))
            .Where(found => found.Distance <= most
                || (word.Length > 4 && found.Candidate.StartsWith(word, StringComparison.OrdinalIgnoreCase)))
            .OrderBy(found => found.Distance)
            .ThenBy(found => found.Candidate, StringComparer.Ordinal)
            .Select(found => found.Candidate)
            .FirstOrDefault();
    }
}
