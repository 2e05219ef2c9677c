namespace CoAP.NET.Dtls.Tests.StateLearning;

/// <summary>
/// The machine of a server or a client for one kind of handshake, as machines.txt has it: what was learned before, and is compared with.
/// </summary>
/// <param name="IsServer">Whether it is the machine of the server.</param>
/// <param name="Handshake">The kind of handshake.</param>
internal sealed record LearnedMachine(bool IsServer, LearnedHandshake Handshake)
{
    private const int RandomWords = 300;
    private static readonly string s_path =
        Path.Combine(Repository.Root, "tests", "CoAP.NET.Dtls.Tests", "StateLearning", "machines.txt");

    /// <summary>All machines.</summary>
    public static IReadOnlyList<LearnedMachine> All { get; } =
    [
        .. LearnedHandshake.OfServers.Select(static handshake => new LearnedMachine(true, handshake)),
        .. LearnedHandshake.OfClients.Select(static handshake => new LearnedMachine(false, handshake)),
    ];

    /// <summary>
    /// The machines that are compared with the library. A client that resumes is not one of them: it remembers alerts without protection
    /// and what came since, so that its states are too many to learn all of them. Its ways to a session are known.
    /// </summary>
    public static IReadOnlyList<LearnedMachine> Compared { get; } =
        [.. All.Where(static one => one.IsServer || one.Handshake.Resumption == ResumptionBy.None)];

    private string Title => $"# {(IsServer ? "server" : "client")}: {Handshake.Name}";

    /// <summary>Learns the machine and writes it, if the file has another one.</summary>
    public void Refresh()
    {
        Dictionary<string, string> machines = File.ReadAllText(s_path).Split("# ", StringSplitOptions.RemoveEmptyEntries)
            .ToDictionary(static section => "# " + section.Split('\n')[0], static section => "# " + section);
        if (!machines.ContainsKey(Title) || (Compared.Contains(this) && FindDifference() is not null))
        {
            machines[Title] = $"{Title}\n{Learn()}\n";
            File.WriteAllText(s_path, string.Concat(All.Select(one => machines.GetValueOrDefault(one.Title))));
        }
    }

    public SystemUnderLearning System() => IsServer ? new LearnedServer(Handshake) : new LearnedClient(Handshake);

    /// <summary>Returns the machine that the file has.</summary>
    public MealyMachine Expected() => MealyMachine.Parse(
        System().Inputs, File.ReadLines(s_path).SkipWhile(line => line != Title).Skip(1).TakeWhile(static line => line[0] != '#'));

    /// <summary>Learns the machine.</summary>
    public MealyMachine Learn() => new MealyLearner(System(), RandomWords, (ulong)Campaign.Seed).Learn();

    /// <summary>The inputs of a handshake by which a session comes about.</summary>
    /// <param name="machine">The machine.</param>
    public static IReadOnlyList<string> WaysToSession(MealyMachine machine) => machine.Ways(
        static output => output.Contains("session(", Ordinal),
        static output => output.StartsWith('+') && !output.EndsWith("again", Ordinal),
        static output => output.Contains("ServerHello", Ordinal) || output.EndsWith("again", Ordinal) || output == "ClientHello");

    /// <summary>
    /// Runs a word for each state and input of the machine of the file, which ends with what tells the next state from most others.
    /// </summary>
    /// <returns>The first difference; null for none.</returns>
    public string? FindDifference()
    {
        SystemUnderLearning system = System();
        MealyMachine expected = Expected();
        IReadOnlyList<int[]> access = expected.Access();
        int[][] rests = [.. system.HonestRests()];
        int[][] telling = [.. Enumerable.Range(0, expected.Count).Select(state => rests.MaxBy(rest =>
            Enumerable.Range(0, expected.Count).Count(other => Follow(expected, state, rest) != Follow(expected, other, rest)))!)];
        for (int state = 0; state < expected.Count; state++)
        {
            for (int input = 0; input < system.Inputs.Count; input++)
            {
                if (!IsShort || IsPlain(expected, access[state], system.Inputs[input]))
                {
                    int[] word = [.. access[state], input, .. telling[expected.Next(state, input)]];
                    (string[] found, string[] known) = (system.Run(word), expected.Run(word));
                    int at = Enumerable.Range(0, word.Length).FirstOrDefault(i => found[i] != known[i], -1);
                    if (at >= 0)
                    {
                        return $"{Title}: {string.Join(", ", word[..(at + 1)].Select(one => system.Inputs[one]))}: "
                            + $"'{found[at]}', expected '{known[at]}'";
                    }
                }
            }
        }

        return null;
    }

    public override string ToString() => Title[2..];

    // Words with curves take ten times as long as others: the plain test command runs those of the first handshake only.
    private bool IsShort => Handshake.Kind is not HandshakeKind.Psk && CampaignSetting.Of("COAP_TEST_CAMPAIGN", 1) == 1;

    private static bool IsPlain(MealyMachine machine, int[] access, string input) =>
        !machine.Run(access).Any(static output => output.Contains("session(", Ordinal))
        && (input.StartsWith("Certificate", Ordinal) || input.Contains("KeyExchange", Ordinal) || input.StartsWith("Finished", Ordinal)
            || input is "ServerHelloDone" or "data (epoch 0)");

    private static string Follow(MealyMachine machine, int state, int[] word)
    {
        StringBuilder outputs = new();
        foreach (int input in word)
        {
            outputs.Append(machine.Output(state, input)).Append(';');
            state = machine.Next(state, input);
        }

        return outputs.ToString();
    }
}
