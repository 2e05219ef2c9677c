namespace CoAP.NET.Dtls.Tests.StateLearning;

/// <summary>A machine with an output and a next state for each input in each state. State 0 is the first one.</summary>
/// <param name="inputs">The names of the inputs.</param>
/// <param name="outputs">The output by state and input.</param>
/// <param name="next">The next state by state and input.</param>
internal sealed class MealyMachine(IReadOnlyList<string> inputs, IReadOnlyList<string[]> outputs, IReadOnlyList<int[]> next)
{
    public IReadOnlyList<string> Inputs => inputs;

    /// <summary>Number of states.</summary>
    public int Count => outputs.Count;

    public string Output(int state, int input) => outputs[state][input];

    public int Next(int state, int input) => next[state][input];

    /// <summary>Returns the outputs for a word.</summary>
    public string[] Run(IReadOnlyList<int> word)
    {
        string[] answers = new string[word.Count];
        int state = 0;
        for (int i = 0; i < word.Count; i++)
        {
            answers[i] = outputs[state][word[i]];
            state = next[state][word[i]];
        }

        return answers;
    }

    /// <summary>Returns the machine with its states in the order in which they are reached, by the order of the inputs.</summary>
    public MealyMachine Ordered()
    {
        List<int> order = [0];
        for (int i = 0; i < order.Count; i++)
        {
            order.AddRange(next[order[i]].Where(state => !order.Contains(state)).Distinct().ToArray());
        }

        return new MealyMachine(
            inputs,
            [.. order.Select(state => outputs[state])],
            [.. order.Select(state => next[state].Select(target => order.IndexOf(target)).ToArray())]);
    }

    /// <summary>Returns a shortest word to each state.</summary>
    public IReadOnlyList<int[]> Access()
    {
        int[]?[] words = new int[]?[Count];
        words[0] = [];
        Queue<int> found = new([0]);
        while (found.TryDequeue(out int state))
        {
            for (int input = 0; input < inputs.Count; input++)
            {
                int target = next[state][input];
                if (words[target] is null)
                {
                    words[target] = [.. words[state]!, input];
                    found.Enqueue(target);
                }
            }
        }

        return [.. words.Select(static word => word!)];
    }

    /// <summary>
    /// Returns the words that lead to a goal, from where they begin: only inputs that the system takes into account, and no state twice.
    /// </summary>
    /// <param name="isGoal">Whether an output is the goal.</param>
    /// <param name="isTaken">Whether the system took the input into account, by its output.</param>
    /// <param name="isBeginning">Whether an output is that of a beginning; state 0 is one too.</param>
    public IReadOnlyList<string> Ways(Func<string, bool> isGoal, Func<string, bool> isTaken, Func<string, bool> isBeginning)
    {
        SortedSet<string> ways = new(StringComparer.Ordinal);
        HashSet<(int State, string Word)> followed = [];
        Follow([0], []);
        for (int state = 0; state < Count; state++)
        {
            for (int input = 0; input < inputs.Count; input++)
            {
                if (isBeginning(outputs[state][input]))
                {
                    Follow([next[state][input]], isTaken(outputs[state][input]) ? [inputs[input]] : []);
                }
            }
        }

        return [.. ways];

        void Follow(int[] visited, string[] word)
        {
            int state = visited[^1];
            if (!followed.Add((state, string.Join(", ", word))))
            {
                return;
            }

            for (int input = 0; input < inputs.Count; input++)
            {
                string output = outputs[state][input];
                int target = next[state][input];
                string[] longer = isTaken(output) ? [.. word, inputs[input]] : word;
                if (isGoal(output))
                {
                    ways.Add(string.Join(", ", longer));
                }
                else if (!isBeginning(output) && !visited.Contains(target))
                {
                    Follow([.. visited, target], longer);
                }
            }
        }
    }

    /// <summary>Reads the result of <see cref="ToString"/>.</summary>
    /// <param name="inputs">The names of the inputs.</param>
    /// <param name="lines">The lines.</param>
    public static MealyMachine Parse(IReadOnlyList<string> inputs, IEnumerable<string> lines)
    {
        List<(int State, int Input, int Next, string Output)> changes = [.. lines.Select(line =>
        {
            string[] parts = line.Split([" --", "--> ", ": "], 4, StringSplitOptions.None);
            return (int.Parse(parts[0], CultureInfo.InvariantCulture), inputs.ToList().IndexOf(parts[1]),
                int.Parse(parts[2], CultureInfo.InvariantCulture), parts[3]);
        })];
        int count = 1 + changes.Max(static change => Math.Max(change.State, change.Next));
        string[][] outputs = [.. Enumerable.Range(0, count).Select(_ => inputs.Select(static _ => "").ToArray())];
        int[][] next = [.. Enumerable.Range(0, count).Select(state => inputs.Select(_ => state).ToArray())];
        foreach ((int state, int input, int target, string output) in changes)
        {
            (outputs[state][input], next[state][input]) = (output, target);
        }

        return new MealyMachine(inputs, outputs, next);
    }

    /// <summary>The machine as text: one line for each input that changes the state or has an output.</summary>
    public override string ToString() => string.Join('\n',
        from state in Enumerable.Range(0, Count)
        from input in Enumerable.Range(0, inputs.Count)
        where next[state][input] != state || outputs[state][input].Length > 0
        select $"{state} --{inputs[input]}--> {next[state][input]}: {outputs[state][input]}");
}
