using System.Text.RegularExpressions;

namespace CoAP.NET.Site.Prose;

/// <summary>
/// The worst patterns of prose that is hard to read, each with what to write in its place. <c>CONTRIBUTING.md</c> explains them; a test
/// holds pages and comments to it.
/// </summary>
internal static partial class Vocabulary
{
    private static readonly (Regex Pattern, string Advice)[] s_patterns =
    [
        (ForAllThreads(), "write \"thread-safe\""),
        (ForPeople(), "write \"human-readable\" or name the reader"),
        (SubjectClause(), "begin with the noun: \"Callers that ...\", \"A peer that ...\", \"The value that ...\""),
        (NobodySubject(), "name what is missing: \"no client\", \"no handler\", \"unused\""),
        (Inverted(), "subject, verb, object: begin with the subject"),
        (HaveDone(), "say who does it: \"prefetches\", \"closes\""),
        (Archaic(), "use the trade's word"),
        (AboutTests(), "a page does not explain how it is tested"),
    ];

    /// <summary>Finds the patterns in a sentence.</summary>
    /// <param name="sentence">One sentence, without markup.</param>
    /// <returns>What was found and what to write in its place.</returns>
    public static IEnumerable<(string Found, string Advice)> Find(string sentence) =>
        from entry in s_patterns
        from Match match in entry.Pattern.Matches(sentence)
        select (match.Value, entry.Advice);

    [GeneratedRegex(@"\b[Ff]or all threads\b")]
    private static partial Regex ForAllThreads();

    [GeneratedRegex(@"\bfor people\b|\bfor the eyes\b", RegexOptions.IgnoreCase)]
    private static partial Regex ForPeople();

    // A sentence or clause whose subject is "what ..." or "who ...": "What waits is told.", "who observes pays". A question ends with "?".
    [GeneratedRegex(
        @"^(What|Who|Whoever|Whose|Which is which)\b(?!.*\?$)"
        + @"|[;:,] (who|whoever) (?!is to|are to)\w+s\b|\bfor who\b|\b[Ww]hoever\b")]
    private static partial Regex SubjectClause();

    [GeneratedRegex(@"\b([Nn]obody|[Nn]o one)\b")]
    private static partial Regex NobodySubject();

    // "Of a session there is none", "Nothing but ... tells", "So is ...", "Nor is ...", "How ... says".
    [GeneratedRegex(
        @"^(Of (a|an|the|all|each|these|those|such)|So (is|are|does|do|has|have)|Nor|Nothing but|Not so)\b"
        + @"|^How .{1,80} (says|decides|tells)\b")]
    private static partial Regex Inverted();

    [GeneratedRegex(@"\b[Hh]as (a|an|the|its) [\w ]{3,40} (fetched|closed|sent|written|begun|made)\b")]
    private static partial Regex HaveDone();

    [GeneratedRegex(
        @"\b(anew|mended|mending|mends|as ever|at leisure|hither|thereby|hereby|whereof|thereof|by and by|of its own accord|beside that"
        + @"|no use to|no use for|are to (?=be\b)|is to be|the like of|in vain|takes? the leave|foreseen)\b", RegexOptions.IgnoreCase)]
    private static partial Regex Archaic();

    [GeneratedRegex(
        @"\b(is|are|was|were) (compiled|run|tried|tested|executed) (by|in|as) (a |the )?tests?\b"
        + @"|\bstands? in (the )?tests\b|compiled by `?tests", RegexOptions.IgnoreCase)]
    private static partial Regex AboutTests();
}
