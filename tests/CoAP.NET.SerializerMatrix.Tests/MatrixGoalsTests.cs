
namespace CoAP.NET.Benchmarks.Tests;

/// <summary>The goals of the page are those of the program, and a run is judged by them.</summary>
public sealed class MatrixGoalsTests
{
    private const string Format = "RFC 8323";

    public MatrixGoalsTests() => CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;

    [Fact]
    public void A_run_that_meets_the_goals_reports_no_miss()
    {
        (int cells, int fast, IReadOnlyList<string> misses, IReadOnlyList<string> excepted) = MatrixGoals.Judge(Format, [.. Rows()]);

        Assert.Equal((100, 100), (cells, fast));
        Assert.Empty(misses);
        Assert.Empty(excepted);
    }

    [Fact]
    public void Every_cell_slower_than_the_published_result_is_reported()
    {
        foreach (MatrixCase one in MatrixCase.All)
        {
            foreach (Way way in Way.All)
            {
                IReadOnlyList<string> misses = Misses(one, way, time: 1.01);

                string miss = Assert.Single(misses);
                miss.Begins($"{Format}, {one}: `{way.Name}` takes ");
                miss.Mentions("; published: ");
            }
        }
    }

    [Fact]
    public void A_slower_cell_without_options_that_allocates_a_large_object_is_exempt_and_reported()
    {
        MatrixCase one = new(0, 131_072);
        Way serialize = Way.All[2];
        (MatrixCase Case, MatrixFigures Figures)[] rows = [.. Rows(one, serialize, time: 2, bytes: 131_112)];

        (_, _, IReadOnlyList<string> misses, IReadOnlyList<string> excepted) = MatrixGoals.Judge(Format, rows);
        Assert.Empty(misses);
        Assert.Equal(["RFC 8323, 0+131072: `Serialize` takes 99 µs; published: 49.7."], excepted);

        MatrixCase many = new(1024, 0);
        (_, _, misses, excepted) = MatrixGoals.Judge(Format, [.. Rows(many, serialize, time: 2, bytes: 263_208)]);
        Assert.Single(misses);
        Assert.Empty(excepted);
    }

    [Fact]
    public void The_goal_of_eighty_percent_of_the_cells_being_ten_times_faster_is_checked()
    {
        // Of the 25 messages with four methods each.
        Assert.Empty(MatrixGoals.Judge(Format, [.. Slow(5)]).Misses);
        Assert.Equal(
            ["RFC 8323: 76 of 100 cells take 1/10 of the published time or less; the goal is 80."],
            MatrixGoals.Judge(Format, [.. Slow(6)]).Misses);
    }

    [Fact]
    public void The_message_bytes_are_excluded_on_both_sides_when_the_result_references_them()
    {
        MatrixCase one = new(0, 65_536);
        Way read = Way.All[0];
        Way write = Way.All[2];
        Way stream = Way.All[3];

        // Published: 264,192 for reading, 66,040 for an array, 376 for a stream.
        Assert.Empty(Misses(one, read, bytes: 65_536 + 49_664));
        Assert.Equal(
            ["RFC 8323, 0+65536: `Deserialize` allocates 49,665 B besides the bytes of the message; the goal is 49,664."],
            Misses(one, read, bytes: 65_536 + 49_665));
        Assert.Empty(Misses(one, write, bytes: 65_536 + 126));
        Assert.Single(Misses(one, write, bytes: 65_536 + 127));
        Assert.Empty(Misses(one, stream, bytes: 94));
        Assert.Single(Misses(one, stream, bytes: 95));
    }

    [Fact]
    public void An_asynchronous_method_is_compared_with_the_synchronous_method_on_the_same_stream()
    {
        MatrixCase one = new(4096, 0);
        foreach (Way way in Way.All.Where(way => way.Synchronous is not null))
        {
            Assert.Empty(Misses(one, way, synchronous: 1 / 1.29));
            string miss = Assert.Single(Misses(one, way, synchronous: 1 / 1.31));
            miss.Mentions($"`{way.Name}` takes ");
            miss.Mentions($", `{way.Synchronous}` ");
        }

        Assert.Equal(
            [nameof(SerializerMatrix.DeserializeFromStream), nameof(SerializerMatrix.SerializeToStream)],
            Way.All.Select(way => way.Synchronous).OfType<string>());
    }

    [Fact]
    public void The_report_lists_every_miss()
    {
        MatrixCase one = new(0, 0);
        (MatrixCase Case, MatrixFigures Figures)[] rows = [.. Rows(one, Way.All[0], time: 2)];
        StringBuilder text = new();
        MatrixReport.AppendMatrix(text, [(Format, rows)]);
        string report = text.ToString().ReplaceLineEndings("\n");

        report.Mentions("### Goals missed\n\n- RFC 8323, 0+0: `Deserialize` takes 3.4 µs; published: 1.679.\n\n###");
        report.Mentions("| RFC 8323 | 100 | 99 | 2.0 times to 1/20 | 1/20 to 1/20 |");
        report.Mentions("| 0 | 0 | 0.010 | 1.679 | 3.4 | 2.0 times | 2,048 | 0 | 2.231 | 0.11 | 1/20 | 1,024 | 0 |");
    }

    [Fact]
    public void A_report_has_tables_of_six_messages_of_the_first_format()
    {
        StringBuilder text = new();
        MatrixReport.AppendMatrix(text, [(Format, [.. Rows()]), ("RFC 7252", [.. Rows()])]);
        string[] report = text.ToString().ReplaceLineEndings("\n").Split('\n');

        Assert.Equal(["### Reading, RFC 8323", "### Writing, RFC 8323", "### Other methods, RFC 8323"],
            report.Where(line => line.StartsWith("### ", Ordinal)).Skip(2));
        Assert.Equal(3 * 6, report.Count(line => line.Length > 2 && line[0] == '|' && char.IsAsciiDigit(line[2])));
    }

    [Fact]
    public void The_page_states_the_goals_and_the_tables_of_the_program()
    {
        StringBuilder text = new();
        MatrixReport.AppendMatrix(text, [(Format, [.. Rows()])]);
        string[] page = File.ReadAllLines(Path.Combine(Repository.Root, "docs", "benchmarks", "serializers.md"));
        string[] report = text.ToString().ReplaceLineEndings("\n").Split('\n');

        Assert.All(MatrixGoals.Texts, goal => Assert.Contains($"- {goal}", page), throwIfEmpty: true);
        Assert.All(report.Where(line => line.StartsWith("###", Ordinal)
            || line.StartsWith("| options", Ordinal) || line.StartsWith("| format", Ordinal)),
            line => Assert.Contains(line, page), throwIfEmpty: true);
        Assert.Contains("<!-- begin serializers -->", page);
        Assert.Contains("<!-- end serializers -->", page);
    }

    private static IReadOnlyList<string> Misses(
        MatrixCase one, Way way, double time = 0.05, long? bytes = null, double synchronous = 1) =>
        MatrixGoals.Judge(Format, [.. Rows(one, way, time, bytes, synchronous)]).Misses;

    // All cells take a twentieth of the published time; one may be different.
    private static IEnumerable<(MatrixCase Case, MatrixFigures Figures)> Rows(
        MatrixCase? different = null, Way? method = null, double time = 0.05, long? bytes = null, double synchronous = 1) =>
        MatrixCase.All.Select(one => (one, Figures(one, way =>
            one == different && way == method ? (time, bytes ?? 0, synchronous) : (0.05, 0, 1))));

    // The first messages take a ninth of the published time.
    private static IEnumerable<(MatrixCase Case, MatrixFigures Figures)> Slow(int messages) =>
        MatrixCase.All.Select((one, index) => (one, Figures(one, _ => (index < messages ? 1 / 9.0 : 0.05, 0, 1))));

    private static MatrixFigures Figures(MatrixCase one, Func<Way, (double Time, long Bytes, double Synchronous)> figures)
    {
        Published published = Published.Of[one];
        Dictionary<string, double> times = new()
        {
            [nameof(SerializerMatrix.Copy)] = 0.01,
            [nameof(SerializerMatrix.DeserializeTyped)] = 1,
        };
        Dictionary<string, long> bytes = new() { [nameof(SerializerMatrix.DeserializeTyped)] = 0 };
        foreach (Way way in Way.All)
        {
            (double time, long allocated, double synchronous) = figures(way);
            times[way.Name] = time * way.Time(published);
            bytes[way.Name] = allocated;
            if (way.Synchronous is { } name)
            {
                times[name] = times[way.Name] * synchronous;
                bytes[name] = 0;
            }
        }

        return new MatrixFigures(times, bytes);
    }
}
