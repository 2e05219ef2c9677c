namespace CoAP.NET.Dtls.Tests.StateLearning;

/// <summary>
/// Learns the machine of a system from its answers: a discrimination tree (Kearns and Vazirani) whose counterexamples are split as
/// Rivest and Schapire do. It asks nothing twice.
/// </summary>
/// <param name="system">The system.</param>
/// <param name="randomWords">Number of random words without a difference after which the machine counts as learned.</param>
/// <param name="seed">The seed of the random words.</param>
internal sealed class MealyLearner(SystemUnderLearning system, int randomWords, ulong seed)
{
    private const int LongestRandomWord = 12;

    private readonly Answer _known = new();
    private readonly List<State> _states = [];
    private Node _tree = null!;

    /// <summary>Number of words that the system ran.</summary>
    public int Asked { get; private set; }

    /// <summary>Learns the machine.</summary>
    public MealyMachine Learn()
    {
        State first = new([]);
        _states.Add(first);
        _tree = new Node { Leaf = first };
        while (true)
        {
            MealyMachine hypothesis = Close();
            if (FindDifference(hypothesis) is not { } word)
            {
                return hypothesis.Ordered();
            }

            Split(hypothesis, word);
        }
    }

    private MealyMachine Close()
    {
        int inputs = system.Inputs.Count;
        List<string[]> outputs = [];
        List<int[]> next = [];
        for (int i = 0; i < _states.Count; i++)
        {
            State state = _states[i];
            outputs.Add([.. Enumerable.Range(0, inputs).Select(input => Ask([.. state.Access, input])[^1])]);
            next.Add([.. Enumerable.Range(0, inputs).Select(input => _states.IndexOf(Sift([.. state.Access, input])))]);
        }

        return new MealyMachine(system.Inputs, outputs, next);
    }

    private State Sift(int[] word)
    {
        Node node = _tree;
        while (node.Leaf is null)
        {
            string answer = AnswerTo(word, node.Suffix);
            if (!node.Children.TryGetValue(answer, out Node? child))
            {
                State state = new(word);
                _states.Add(state);
                node.Children[answer] = new Node { Leaf = state };
                return state;
            }

            node = child;
        }

        return node.Leaf;
    }

    // The hypothesis takes two words for one state whose answers to a suffix differ.
    private void Split(MealyMachine hypothesis, int[] word)
    {
        int state = 0;
        for (int i = 0; i < word.Length; i++)
        {
            int[] before = [.. _states[state].Access, word[i]];
            state = hypothesis.Next(state, word[i]);
            State taken = _states[state];
            int[] suffix = word[(i + 1)..];
            (string found, string expected) = (AnswerTo(before, suffix), AnswerTo(taken.Access, suffix));
            if (found == expected)
            {
                continue;
            }

            Node node = LeafOf(_tree, taken)!;
            State added = new(before);
            _states.Add(added);
            (node.Leaf, node.Suffix) = (null, suffix);
            node.Children[expected] = new Node { Leaf = taken };
            node.Children[found] = new Node { Leaf = added };
            return;
        }

        throw new InvalidOperationException($"The system is not deterministic: {Words(word)}");
    }

    private int[]? FindDifference(MealyMachine hypothesis)
    {
        foreach (int[] word in Continued(hypothesis).Concat(Random()))
        {
            string[] expected = hypothesis.Run(word);
            string[] found = Ask(word);
            int at = Enumerable.Range(0, word.Length).FirstOrDefault(i => expected[i] != found[i], -1);
            if (at >= 0)
            {
                return word[..(at + 1)];
            }
        }

        return null;
    }

    // From each state with each input, all rests of usual words, and all words that tell states apart.
    private IEnumerable<int[]> Continued(MealyMachine hypothesis)
    {
        int[][] ways = [.. _states.Take(hypothesis.Count).Select(static state => state.Access)];
        int[][] rests =
        [
            .. system.HonestRests(),
            .. Suffixes(_tree),
        ];
        return from way in ways
               from input in Enumerable.Range(0, system.Inputs.Count)
               from rest in rests
               select (int[])[.. way, input, .. rest];
    }

    private IEnumerable<int[]> Random()
    {
        VirtualRandom random = new(seed);
        int[][] words = [.. system.Honest.Select(system.WordOf)];
        for (int i = 0; i < randomWords; i++)
        {
            // Inputs that no usual peer sends seldom change anything: half of them follow a usual word.
            List<int> word = [];
            int[] usual = words[Below(words.Length)];
            int at = 0;
            int length = 1 + Below(LongestRandomWord);
            while (word.Count < length)
            {
                word.Add(at < usual.Length && Below(2) == 0 ? usual[at++] : Below(system.Inputs.Count));
            }

            yield return [.. word];
        }

        int Below(int bound)
        {
            Span<byte> bytes = stackalloc byte[sizeof(uint)];
            random.Fill(bytes);
            return (int)(BinaryPrimitives.ReadUInt32BigEndian(bytes) % (uint)bound);
        }
    }

    private static IEnumerable<int[]> Suffixes(Node node) =>
        node.Leaf is not null ? [] : [node.Suffix, .. node.Children.Values.SelectMany(Suffixes)];

    private static Node? LeafOf(Node node, State state) =>
        node.Leaf == state ? node : node.Children.Values.Select(child => LeafOf(child, state)).FirstOrDefault(static leaf => leaf != null);

    private string AnswerTo(int[] word, int[] suffix) =>
        suffix.Length == 0 ? "" : string.Join(';', Ask([.. word, .. suffix])[word.Length..]);

    private string[] Ask(int[] word)
    {
        string[] answers = new string[word.Length];
        Answer at = _known;
        for (int i = 0; i < word.Length; i++)
        {
            if (!at.Following.TryGetValue(word[i], out Answer? after))
            {
                return AskSystem(word);
            }

            answers[i] = after.Output;
            at = after;
        }

        return answers;
    }

    private string[] AskSystem(int[] word)
    {
        Asked++;
        string[] answers = system.Run(word);
        Answer at = _known;
        for (int i = 0; i < word.Length; i++)
        {
            if (!at.Following.TryGetValue(word[i], out Answer? after))
            {
                at.Following[word[i]] = after = new Answer { Output = answers[i] };
            }

            if (after.Output != answers[i])
            {
                throw new InvalidOperationException(
                    $"The system is not deterministic: '{after.Output}', then '{answers[i]}', for {Words(word[..(i + 1)])}");
            }

            at = after;
        }

        return answers;
    }

    private string Words(int[] word) => string.Join(", ", word.Select(input => system.Inputs[input]));

    private sealed class Answer
    {
        public string Output { get; init; } = "";

        public Dictionary<int, Answer> Following { get; } = [];
    }

    private sealed class Node
    {
        public State? Leaf { get; set; }

        public int[] Suffix { get; set; } = [];

        public Dictionary<string, Node> Children { get; } = [];
    }

    /// <summary>A state of the hypothesis.</summary>
    /// <param name="access">A word that leads to it.</param>
    private sealed class State(int[] access)
    {
        public int[] Access => access;
    }
}
