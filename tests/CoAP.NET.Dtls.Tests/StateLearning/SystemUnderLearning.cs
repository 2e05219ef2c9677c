namespace CoAP.NET.Dtls.Tests.StateLearning;

/// <summary>A system whose states a <see cref="MealyLearner"/> learns by its answers.</summary>
internal abstract class SystemUnderLearning
{
    /// <summary>What can be sent to it.</summary>
    public abstract IReadOnlyList<string> Inputs { get; }

    /// <summary>The ways that lead to its goal, as they should be.</summary>
    public abstract IReadOnlyList<WayPattern> Ways { get; }

    /// <summary>The words of usual peers.</summary>
    public abstract IReadOnlyList<string[]> Honest { get; }

    /// <summary>Returns the indexes of inputs.</summary>
    /// <param name="inputs">Their names.</param>
    public int[] WordOf(IEnumerable<string> inputs) => [.. inputs.Select(input => Inputs.ToList().IndexOf(input))];

    /// <summary>Returns the ends of the words of usual peers, each once.</summary>
    public IEnumerable<int[]> HonestRests() => Honest.Select(WordOf)
        .SelectMany(static word => Enumerable.Range(1, word.Length - 1).Select(at => word[at..]))
        .DistinctBy(static rest => string.Join(' ', rest));

    /// <summary>Starts the system again, sends a word to it, and returns the output for each input.</summary>
    /// <param name="word">Indexes of inputs.</param>
    public abstract string[] Run(IReadOnlyList<int> word);
}
