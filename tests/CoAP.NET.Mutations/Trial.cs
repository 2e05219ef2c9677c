namespace CoAP.NET.Mutations;

/// <summary>The result of one mutation.</summary>
/// <param name="Mutant">The mutation.</param>
/// <param name="NoticedBy">The test that failed; null for a mutation that was not noticed.</param>
/// <param name="Why">Why it was not noticed.</param>
/// <param name="Seconds">The time.</param>
internal sealed record Verdict(Mutant Mutant, string? NoticedBy, string Why, double Seconds);

/// <summary>Runs tests against the mutations.</summary>
internal sealed class Trial(Workshop workshop, TimeSpan limit)
{
    private const string Failed = "failed ";
    private const int SomeFailed = 2;
    private const int NoneRan = 8;

    // A process runs test classes for about this long, by their recorded times; the next one for three times as long.
    private const long FirstBatch = 4_000;
    private const int Growth = 3;

    private static readonly TimeSpan s_longest = TimeSpan.FromHours(1);

    private readonly Reach _reach = new();

    // Tests that fail without any mutation, for example because they read the sources, which have switches now.
    private readonly HashSet<string> _failing = [];

    /// <summary>Runs all tests once without a mutation, and records what they reach.</summary>
    public async Task RecordAsync()
    {
        foreach (string project in workshop.Projects)
        {
            string record = workshop.RecordOf(project);
            if (!File.Exists(record) || File.GetLastWriteTimeUtc(record) < workshop.BuiltAt(project))
            {
                await RecordAsync(project, record);
            }

            _reach.Read(project, record, _failing);
        }

        foreach (string test in _failing.Order(StringComparer.Ordinal))
        {
            Console.Error.WriteLine($"does not count: {test}");
        }
    }

    private async Task RecordAsync(string project, string record)
    {
        long begun = TimeProvider.System.GetTimestamp();
        List<string> failing = [];
        using ChildProcess tests = Start(project, -1, []);
        tests.Environment["COAP_MUTANT_RECORD"] = record;
        int code = await tests.RunAsync(line => failing.AddRange(TestOf(line) is { } test ? [$"fail\t{test}\t1"] : []), s_longest);
        await File.AppendAllLinesAsync(record, failing);
        Console.Error.WriteLine($"{project} recorded in {Seconds(begun):F0} s, exit code {code}");
    }

    /// <summary>Runs the tests that reach a mutation, until one fails.</summary>
    public async Task<Verdict> RunAsync(Mutant mutant)
    {
        long begun = TimeProvider.System.GetTimestamp();
        TestClass[] reaching = _reach.Of(mutant);
        if (reaching.Length == 0)
        {
            return new Verdict(mutant, null, "no test reaches it", 0);
        }

        foreach (TestClass[] batch in Batches(reaching))
        {
            TimeSpan left = limit - TimeProvider.System.GetElapsedTime(begun);
            if (left <= TimeSpan.Zero)
            {
                return new Verdict(mutant, null, "the limit", Seconds(begun));
            }

            string? noticed = null;
            using ChildProcess tests = Start(batch[0].Project, mutant.Id, batch);
            int code = await tests.RunAsync(
                line =>
                {
                    if (noticed is null && TestOf(line) is { } failed && !_failing.Contains(failed))
                    {
                        noticed = failed;
                        tests.Stop();
                    }
                },
                left);
            if (noticed is null && code is not (0 or SomeFailed or NoneRan or ChildProcess.Stopped))
            {
                noticed = $"{batch[0].Project} ends with {code}";
            }

            if (noticed is not null || code == ChildProcess.Stopped)
            {
                return new Verdict(mutant, noticed, "the limit", Seconds(begun));
            }
        }

        return new Verdict(mutant, null, $"{reaching.Length} test classes pass", Seconds(begun));
    }

    private static double Seconds(long begun) => TimeProvider.System.GetElapsedTime(begun).TotalSeconds;

    // The platform prints one line for a test that failed: its name, and its time in parentheses.
    private static string? TestOf(string line) => line.StartsWith(Failed, StringComparison.Ordinal)
        ? line[Failed.Length..line.LastIndexOf(" (", StringComparison.Ordinal)] : null;

    // By turns of the projects: what the first of each do not notice, the next may.
    private static IEnumerable<TestClass[]> Batches(TestClass[] reaching)
    {
        List<Queue<TestClass>> projects =
            [.. reaching.GroupBy(static test => test.Project).Select(static group => new Queue<TestClass>(group))];
        for (long length = FirstBatch; projects.Count > 0; length *= Growth)
        {
            foreach (Queue<TestClass> project in projects.ToArray())
            {
                List<TestClass> batch = [];
                while (project.TryPeek(out TestClass? next) && (batch.Count == 0 || batch.Sum(static test => test.Milliseconds) < length))
                {
                    batch.Add(project.Dequeue());
                }

                yield return [.. batch];
            }

            projects.RemoveAll(static project => project.Count == 0);
        }
    }

    private ChildProcess Start(string project, int id, TestClass[] classes)
    {
        string program = workshop.ProgramOf(project);
        string[] filters = classes.Length == 0 ? [] : ["--filter-class", .. classes.Select(static test => test.Name)];
        ChildProcess tests = new(program, Path.GetDirectoryName(program)!,
            ["--no-ansi", "--progress", "off", "--filter-not-trait", "Category=Campaign", "Group=External", .. filters]);
        tests.Environment["COAP_MUTANT"] = $"{id}";
        return tests;
    }
}
