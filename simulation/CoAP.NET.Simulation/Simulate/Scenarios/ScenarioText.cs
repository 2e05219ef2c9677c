namespace CoAP.NET.Simulation.Simulate;

/// <summary>
/// A scenario as text: a line for its plan, which begins with a word of its own, and one for each step. A # begins a comment.
/// </summary>
internal static class ScenarioText
{
    private const string StepWord = "step";
    private const char Comment = '#';

    /// <summary>Whether a text is a scenario of a kind.</summary>
    /// <param name="planWord">With which word its plan begins.</param>
    /// <param name="text">The text.</param>
    public static bool IsOne(string planWord, string text) => Split(text.Split('\n', 2)[0]).Word == planWord;

    /// <summary>Writes a scenario.</summary>
    /// <param name="planWord">The word of the plan.</param>
    /// <param name="plan">The plan.</param>
    /// <param name="steps">The steps.</param>
    /// <param name="describe">Makes the comment of a step; null for none.</param>
    public static string Write<TPlan, TStep>(
        string planWord, TPlan plan, IEnumerable<TStep> steps, Func<TStep, string>? describe = null)
        where TPlan : new()
        where TStep : new()
    {
        StringBuilder text = new();
        Append(text, planWord, PlanText.Write(plan));
        foreach (TStep step in steps)
        {
            Append(text, StepWord, PlanText.Write(step) + (describe is null ? "" : $" {Comment} {describe(step)}"));
        }

        return text.ToString();
    }

    /// <exception cref="FormatException">The text is no scenario of this kind.</exception>
    public static (TPlan Plan, IReadOnlyList<TStep> Steps) Read<TPlan, TStep>(string planWord, string text)
        where TPlan : new()
        where TStep : new()
    {
        (string Word, string Text)[] lines =
            [.. text.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).Select(Split)];
        return lines is [var plan, .. var steps] && plan.Word == planWord && Array.TrueForAll(steps, step => step.Word == StepWord)
            ? (PlanText.Read<TPlan>(plan.Text), [.. steps.Select(step => PlanText.Read<TStep>(step.Text))])
            : throw new FormatException($"The first line begins with '{planWord}', each other one with '{StepWord}'.");
    }

    // What is as it would be anyway is left out, so that there may be nothing but the word.
    private static (string Word, string Text) Split(string line) =>
        line.Split(Comment)[0].Trim().Split(' ', 2) is [string word, string rest] ? (word, rest) : (line.Split(Comment)[0].Trim(), "");

    private static void Append(StringBuilder text, string word, string rest) => text.Append($"{word} {rest}".TrimEnd()).Append('\n');
}
