namespace CoAP.NET.Dtls.Tests.StateLearning;

/// <summary>
/// The states of the server and of the client, learned from their answers to messages of both roles in all orders (protocol state
/// fuzzing). COAP_WRITE_DOCS=1 learns those that machines.txt does not have any more, and writes it and docs/dtls-cases.md.
/// COAP_TEST_CAMPAIGN above 1 learns all of them, and compares; without it, one word for each state and input is compared.
/// </summary>
public sealed class StateLearningTests
{
    private const string Begin = "<!-- ways to a session -->\n";
    private const string End = "<!-- end of ways to a session -->";

    private static readonly bool s_isWriting = Environment.GetEnvironmentVariable("COAP_WRITE_DOCS") == "1";

    public static TheoryData<int, string> Machines =>
        new(Enumerable.Range(0, LearnedMachine.All.Count).Select(static i => (i, LearnedMachine.All[i].ToString())));

    public static TheoryData<int, string> Compared =>
        new(Enumerable.Range(0, LearnedMachine.Compared.Count).Select(static i => (i, LearnedMachine.Compared[i].ToString())));

    [Fact]
    public void The_learner_reconstructs_a_known_state_machine_from_its_answers()
    {
        ThreeCoins system = new();
        Assert.Equal(system.Machine.ToString(), new MealyLearner(system, 100, 1).Learn().ToString());
    }

    [Theory]
    [Trait("Category", "Campaign")]
    [MemberData(nameof(Compared))]
    public void The_handshake_states_equal_those_that_were_learned_before(int index, string name)
    {
        LearnedMachine one = LearnedMachine.Compared[index];
        Assert.Equal(one.ToString(), name);
        if (CampaignSetting.Of("COAP_TEST_CAMPAIGN", 1) > 1 && !s_isWriting)
        {
            Assert.Equal(one.Expected().ToString(), one.Learn().ToString());
        }

        string? difference = s_isWriting ? null : one.FindDifference();
        Assert.True(difference is null, difference);
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void Only_the_message_sequences_of_a_complete_handshake_lead_to_a_session(int index, string name)
    {
        LearnedMachine one = LearnedMachine.All[index];
        Assert.Equal(one.ToString(), name);
        Assert.Equal(
            one.System().Ways.SelectMany(static way => way.Words).Order(StringComparer.Ordinal),
            LearnedMachine.WaysToSession(one.Expected()));
    }

    [Fact]
    public void The_page_lists_every_message_sequence_that_leads_to_a_session()
    {
        StringBuilder table = new(
            "\n| end | handshake | its states | all ways to a session: what the other end sends |\n|---|---|---|---|\n");
        foreach (LearnedMachine one in LearnedMachine.All)
        {
            if (s_isWriting)
            {
                one.Refresh();
            }

            MealyMachine machine = one.Expected();
            string ways = string.Join("<br>", one.System().Ways).Replace(" | ", " or ", Ordinal);
            string end = one.IsServer ? "server" : "client";
            table.Append(CultureInfo.InvariantCulture, $"| {end} | {one.Handshake.Name} | {machine.Count} | {ways} |\n");
        }

        PageTable.Check("dtls-cases.md", Begin, End, table.Append('\n').ToString());
    }

    // Says "full" at the third coin.
    private sealed class ThreeCoins : SystemUnderLearning
    {
        public override IReadOnlyList<string> Inputs { get; } = ["coin", "button", "return"];

        public override IReadOnlyList<WayPattern> Ways { get; } = ["coin, button"];

        public override IReadOnlyList<string[]> Honest { get; } = [["coin", "button", "coin"]];

        public MealyMachine Machine => new(
            Inputs,
            [["", "", ""], ["", "tea", "1"], ["", "tea", "2"], ["full", "tea", "3"]],
            [[1, 0, 0], [2, 0, 0], [3, 1, 0], [3, 2, 0]]);

        public override string[] Run(IReadOnlyList<int> word) => Machine.Run(word);
    }
}
