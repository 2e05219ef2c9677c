namespace CoAP.NET.Dtls.Tests.StateLearning;

/// <summary>Words as a pattern: inputs with commas between them; <c>[a]</c> may be absent, and <c>a | b</c> is one of two.</summary>
/// <param name="text">The pattern.</param>
internal sealed class WayPattern(string text)
{
    private readonly string[][] _steps = [.. text.Split(", ").Aggregate(new List<string>(), Join).Select(static step =>
        step.StartsWith('[') ? [step[1..^1], ""] : step.Split(" | "))];

    /// <summary>The word with all inputs that may be absent.</summary>
    public string[] Longest => [.. _steps.Select(static step => step[0])];

    /// <summary>The word without them.</summary>
    public string[] Shortest => [.. _steps.Select(static step => step[^1] is "" ? "" : step[0]).Where(static input => input.Length > 0)];

    /// <summary>All words.</summary>
    public IEnumerable<string> Words => _steps.Aggregate(
        (IEnumerable<string>)[""],
        static (words, step) => words.SelectMany(word => step.Select(input =>
            input.Length == 0 ? word : word.Length == 0 ? input : $"{word}, {input}")));

    public static implicit operator WayPattern(string text) => new(text);

    public override string ToString() => text;

    // The name of an input may have a comma within its parentheses.
    private static List<string> Join(List<string> steps, string part)
    {
        if (steps.Count > 0 && steps[^1].Count(static one => one == '(') > steps[^1].Count(static one => one == ')'))
        {
            steps[^1] += ", " + part;
        }
        else
        {
            steps.Add(part);
        }

        return steps;
    }
}
