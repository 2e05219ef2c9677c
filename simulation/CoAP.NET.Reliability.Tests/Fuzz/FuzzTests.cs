using CoAP.NET.Simulation;
using CoAP.NET.Simulation.Fuzz;
using CoAP.NET.Tests.Endpoints;
using Server;

namespace CoAP.NET.Reliability.Tests.Fuzz;

/// <summary>
/// Short runs of the campaign <c>fuzz</c>: the whole corpus, some executions of each target, and defects that are planted.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class FuzzTests
{
    private const ulong Seed = 7;

    // Enough to see that it shrinks.
    public FuzzTests() => FuzzShrinker.Limit = TimeSpan.FromMilliseconds(100);

    public static TheoryData<string, int> Targets()
    {
        TheoryData<string, int> targets = [];
        foreach (string name in FuzzTargets.Names)
        {
            targets.Add(name,
                name.EndsWith("client", StringComparison.Ordinal) || name.EndsWith("server", StringComparison.Ordinal) ? 40 : 1500);
        }

        return targets;
    }

    [Theory]
    [MemberData(nameof(Targets))]
    public async Task Each_fuzz_target_passes_its_corpus_and_some_mutations(string target, int executions) =>
        Assert.Empty((await RunAsync(target, executions)).Findings);

    [Theory]
    [External]
    [InlineData("datagram", "throw", 6000)]
    [InlineData("datagram", "drop-option", 6000)]
    [InlineData("datagram", "async-differs", 6000)]
    [InlineData("stream", "consumed", 2000)]
    [InlineData("cbor", "memory", 4000)]
    [InlineData("link", "link", 4000)]
    [InlineData("proxy", "proxy-traversal", 2000)]
    [InlineData("server", "swallow", 200)]
    [InlineData("server", "leak", 200)]
    [InlineData("server", "wrong-token", 200)]
    [InlineData("server", "stage-throws", 200)]
    [InlineData("client", "client-hang", 100)]
    public async Task A_planted_defect_is_found(string target, string plant, int executions)
    {
        string finding = Assert.Single((await RunAsync(target, executions, plant)).Findings);
        Assert.Contains($"--only {target}=", finding, StringComparison.Ordinal);

        // What is printed shows it again, and nothing without the defect.
        IReadOnlyList<byte[]> inputs = [
            .. finding[(finding.LastIndexOf('=') + 1)..].Split('+').Select(input => FuzzCorpus.Parse(input) ?? [])];
        Assert.NotNull(await OnThread(() => FuzzSession.Replay(target, plant, inputs)));
        Assert.Null(await OnThread(() => FuzzSession.Replay(target, null, inputs)));
    }

    [Theory]
    [InlineData("options", 3000)]
    [InlineData("server", 150)]
    [InlineData("client", 120)]
    public async Task The_same_seed_gives_the_same_fuzz_executions(string target, int executions)
    {
        FuzzRow first = await RunAsync(target, executions);
        FuzzRow second = await RunAsync(target, executions);
        FuzzRow other = await RunAsync(target, executions, seed: Seed + 1);
        Assert.Equal((first.Digest, first.Executions, first.Corpus), (second.Digest, second.Executions, second.Corpus));
        Assert.NotEqual(first.Digest, other.Digest);
    }

    [Fact]
    public void An_input_that_was_slow_or_large_only_once_is_not_reported()
    {
        FuzzRunner[] runners = [.. new[] { false, true }.Select(stalls =>
            new FuzzRunner(new StallingTarget { Stalls = stalls }, Seed, [[1], [2], [3]], null))];

        Assert.All(runners, runner => Assert.Null(runner.Run(100, CancellationToken.None)));

        Assert.Equal(runners[0].Digest, runners[1].Digest);
        Assert.Equal(runners[0].Corpus, runners[1].Corpus);
    }

    [Theory]
    [External]
    [InlineData("datagram", 100)]
    [InlineData("problem", 100)] // of the package of contents
    [InlineData("dtls", 500)]
    public async Task Rewritten_libraries_tell_which_branches_are_reached(string target, int least)
    {
        string[][] rows = await OnThread(() =>
            FuzzIsolation.Make(FuzzIsolation.Rewrite())(Seed, 2000, target, null, new object?[FuzzStatus.Length], CancellationToken.None));
        FuzzRow row = FuzzRow.Unpack(Assert.Single(rows));
        Assert.Empty(row.Findings);
        Assert.InRange(row.Blocks, least, 10_000);
    }

    [Theory]
    [InlineData("\"<a>;x=\"#\"\" # text with a comment", "3c613e3b783d222322")]
    [InlineData("40 01 # spaces", "4001")]
    [InlineData("-", "")]
    public void A_line_of_the_corpus_is_text_or_hexadecimal_digits(string line, string expected) =>
        Assert.Equal(expected, Convert.ToHexStringLower(FuzzCorpus.Parse(line)!));

    [Theory]
    [InlineData("[\"\u00ff\"]")]
    [InlineData("[\"\\ud800\"]")]
    [Rfc("8132-3.4-1")]
    public void A_JSON_name_that_is_not_valid_Unicode_is_answered_4_00(string json)
    {
        CoapMessage message = new(CoapCode.Fetch) { Payload = Encoding.Latin1.GetBytes(json) };
        Assert.Equal(CoapCode.BadRequest, new JsonDocumentResource("{}").Fetch(ReceivedRequest.Of(message)).Code);
        message.Payload = Encoding.Latin1.GetBytes($"{{\"a\":{json}}}");
        Assert.Equal(CoapCode.BadRequest, new JsonDocumentResource("{}").Patch(ReceivedRequest.Of(message)).Code);
    }

    private static async Task<FuzzRow> RunAsync(string target, long executions, string? plant = null, ulong seed = Seed)
    {
        string[][] rows = await OnThread(() =>
            FuzzSession.Run(seed, executions + FuzzCorpus.Of(target).Count, target, plant, new object?[FuzzStatus.Length],
                CancellationToken.None));
        return FuzzRow.Unpack(Assert.Single(rows));
    }

    // Not on a thread of the pool, for whose silence it waits.
    private static Task<T> OnThread<T>(Func<T> run) =>
        Task.Factory.StartNew(run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    /// <summary>A target that takes too much once, as when the runtime compiles on a busy machine.</summary>
    private sealed class StallingTarget : FuzzTarget
    {
        public bool Stalls { get; set; }

        public override void Mutate(FuzzBuffer buffer, FuzzRandom random, byte[] other) => buffer.Insert(0, [random.NextByte()]);

        public override ulong Run(byte[] input)
        {
            if (Stalls && input is [2])
            {
                Stalls = false;
                throw new FuzzFailureException("time", "It took 51 ms.");
            }

            return (ulong)input.Length;
        }
    }
}
