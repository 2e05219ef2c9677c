using System.Text.RegularExpressions;

namespace CoAP.NET.Site.Prose;

/// <summary>How easily a text reads, by its sentences.</summary>
/// <param name="Sentences">How many sentences it has.</param>
/// <param name="WordsPerSentence">Mean words in a sentence. Up to 18 reads well.</param>
/// <param name="Long">Share of sentences of more than 30 words, 0 to 1.</param>
/// <param name="Passive">Share of sentences with a verb in the passive voice, 0 to 1. Below 0.2 reads well.</param>
/// <param name="Riddles">How many of the patterns of <see cref="Vocabulary"/> it has.</param>
internal sealed partial record Readability(int Sentences, double WordsPerSentence, double Long, double Passive, int Riddles)
{
    private const int LongSentence = 30;

    /// <summary>Measures a text.</summary>
    /// <param name="sentences">Its sentences.</param>
    public static Readability Of(IReadOnlyCollection<string> sentences)
    {
        if (sentences.Count == 0)
        {
            return new Readability(0, 0, 0, 0, 0);
        }

        int[] words = [.. sentences.Select(static sentence => Word().Count(sentence))];
        return new Readability(
            sentences.Count,
            words.Average(),
            (double)words.Count(static count => count > LongSentence) / words.Length,
            (double)sentences.Count(static sentence => PassiveVerb().IsMatch(sentence)) / words.Length,
            sentences.Sum(static sentence => Vocabulary.Find(sentence).Count()));
    }

    [GeneratedRegex(@"[\p{L}\p{N}][\p{L}\p{N}'’.:/%-]*")]
    private static partial Regex Word();

    // A form of "be" and a participle; the irregular ones that technical prose uses.
    [GeneratedRegex(
        @"\b(is|are|was|were|be|been|being)\s+((not|never|then|also|only|still|always|often|\w+ly)\s+)?"
        + @"(\w{2,}ed|sent|told|kept|given|known|made|done|seen|taken|written|read|found|held|lost|built|chosen|said|left|cut|put|begun"
        + @"|shown|drawn|met|paid|meant|thrown|bound|broken|fed|heard|hidden|laid|led|run|sought|sold|split|spent|thought"
        + @"|understood|set|let)\b",
        RegexOptions.IgnoreCase)]
    private static partial Regex PassiveVerb();
}
