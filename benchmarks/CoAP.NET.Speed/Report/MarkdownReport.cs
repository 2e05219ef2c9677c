using CoAP.NET.Speed.Rows;

namespace CoAP.NET.Speed.Report;

/// <summary>The tables.</summary>
internal static class MarkdownReport
{
    /// <summary>How the name of one ends that others, which follow it, are compared with.</summary>
    public const string Plain = ", no DTLS";

    /// <summary>The same for connections with TLS.</summary>
    public const string WithoutTls = ", no TLS";

    /// <summary>The same where OSCORE protects the others.</summary>
    public const string Unprotected = ", no OSCORE";

    /// <summary>The same where a dashboard shows the others.</summary>
    public const string Unwatched = ", no page open";

    // Processor time per second below which a process was idle: a tenth of a processor.
    private const double IdleMicroseconds = 100_000;
    private const double MicrosecondsOfSecond = 1_000_000;

    private static readonly CultureInfo s_culture = CultureInfo.InvariantCulture;

    /// <summary>The machine, in a line.</summary>
    public static string Machine =>
        $"{Environment.ProcessorCount} "
            + $"processors{Processor.Model}, {RuntimeInformation.OSDescription.Trim()}, {RuntimeInformation.FrameworkDescription}{(Processors.Note is { } note ? $". {note}" : "")}";

    /// <summary>Writes all tables.</summary>
    public static string Write(IReadOnlyList<(Row Row, IReadOnlyList<Outcome> Outcomes)> results, int pairs, double seconds)
    {
        StringBuilder text = new();
        text.AppendLine(s_culture,
            $"{Machine}. Medians of {pairs} turns of {seconds:0.##} s; in parentheses the lowest and the highest ratio.").AppendLine();
        foreach (var group in results.GroupBy(result => result.Row.Group))
        {
            switch (group.Key)
            {
                case RowGroup.Requests:
                    Compare(text, group, "a server", "requests a second", "request", "floor");
                    break;
                case RowGroup.Scaling:
                    Scaling(text, group);
                    break;
                case RowGroup.Notifications:
                    Compare(text, group, "notifications", "notifications a second", "notification", null);
                    break;
                case RowGroup.Client:
                    Compare(text, group, "a client", "requests a second", "request", "raw loop");
                    break;
                case RowGroup.Secure:
                    BesidePlain(text, group, "GET in a session", Plain);
                    break;
                case RowGroup.Tls:
                    BesidePlain(text, group, "GET over TLS", WithoutTls);
                    break;
                case RowGroup.Protected:
                    BesidePlain(text, group, "GET under OSCORE", Unprotected);
                    break;
                case RowGroup.Watched:
                    BesidePlain(text, group, "GET of a server with a dashboard", Unwatched);
                    break;
                case RowGroup.Handshakes:
                    Handshakes(text, group);
                    break;
                case RowGroup.Strangers:
                    Strangers(text, group);
                    break;
                case RowGroup.Proxies:
                    BesideOwnAnswer(text, group);
                    break;
                default:
                    Beside(text, group);
                    break;
            }
        }

        Everybody(text, results);
        return text.ToString();
    }

    private static void Compare(
        StringBuilder text, IEnumerable<(Row Row, IReadOnlyList<Outcome> Outcomes)> rows, string first, string rate, string one,
        string? floor)
    {
        bool hasCalifornium = rows.Any(row => Of(row.Outcomes, Role.Californium) is not null);
        Head(text, [first, rate, .. floor is null ? (string[])[] : [$"ratio to the {floor}"],
            .. floor == "raw loop" ? (string[])[] : ["ratio to libcoap"], .. hasCalifornium ? ["ratio to Californium"] : (string[])[],
            $"processor µs a {one}", "p50 µs", "p99 µs", "lost", "errors"]);
        foreach ((Row row, IReadOnlyList<Outcome> outcomes) in rows)
        {
            Outcome ours = outcomes.Single(outcome => outcome.Entrant.Role == Role.Ours);
            List<string> cells = [row.Title, Rate(ours)];
            if (floor is not null)
            {
                cells.Add(Ratio(ours, Of(outcomes, Role.Floor)));
            }

            if (floor != "raw loop")
            {
                cells.Add(Ratio(ours, Of(outcomes, Role.LibCoap)));
            }

            if (hasCalifornium)
            {
                cells.Add(Ratio(ours, Of(outcomes, Role.Californium)));
            }

            Line(text, [.. cells, .. Rest(ours)]);
        }

        text.AppendLine();
    }

    private static void Beside(StringBuilder text, IEnumerable<(Row Row, IReadOnlyList<Outcome> Outcomes)> rows)
    {
        Head(text, ["beside HTTP", "", "requests a second", "ratio to HTTP", "processor µs a request", "p50 µs", "p99 µs", "lost",
            "errors"]);
        foreach ((Row row, IReadOnlyList<Outcome> outcomes) in rows)
        {
            Outcome? http = null;
            foreach (Outcome outcome in outcomes)
            {
                bool isHttp = outcome.Entrant.Name.StartsWith("HTTP", StringComparison.Ordinal);
                http = isHttp ? outcome : http;
                Line(text, [row.Title, outcome.Entrant.Name, Rate(outcome), isHttp ? "" : Ratio(outcome, http), .. Rest(outcome)]);
            }
        }

        text.AppendLine();
    }

    private static void Scaling(StringBuilder text, IEnumerable<(Row Row, IReadOnlyList<Outcome> Outcomes)> rows)
    {
        Head(text, ["shards", "", "requests a second", "ratio to the first line", "processors used", "processor µs a request",
            "processors the load used", "p50 µs", "p99 µs", "lost", "errors"]);
        List<string> notes = ["Where the load used about as many processors as it has, it bounds the rate, and not the server."];
        foreach ((Row row, IReadOnlyList<Outcome> outcomes) in rows)
        {
            foreach (Outcome outcome in outcomes)
            {
                string[] rest = Rest(outcome);
                Line(text, [row.Title, outcome.Entrant.Name, Rate(outcome), outcome == outcomes[0] ? "" : Ratio(outcome, outcomes[0]),
                    Processors(outcome, run => run.PerSecond * run.CpuMicroseconds / MicrosecondsOfSecond), rest[0],
                    Processors(outcome, run => run.LoadProcessors), .. rest[1..]]);
                notes.AddRange(outcome.Entrant.Note is { } note ? [note] : []);
            }
        }

        text.AppendLine();
        foreach (string note in notes.Distinct())
        {
            text.AppendLine(s_culture, $"- {note}");
        }

        text.AppendLine();

        static string Processors(Outcome outcome, Func<RunFigures, double> figure) =>
            outcome.Failure is null ? outcome.Median(figure).ToString("0.00", s_culture) : "";
    }

    private static void Everybody(StringBuilder text, IReadOnlyList<(Row Row, IReadOnlyList<Outcome> Outcomes)> results)
    {
        RowGroup[] whole =
        [
            RowGroup.Scaling, RowGroup.Http, RowGroup.Secure, RowGroup.Tls, RowGroup.Handshakes, RowGroup.Strangers, RowGroup.Protected,
            RowGroup.Proxies,
        ];
        var others = results.Where(result => !whole.Contains(result.Row.Group))
            .SelectMany(result => result.Outcomes.Where(outcome => outcome.Entrant.Role != Role.Ours),
                (result, outcome) => (result.Row, Outcome: outcome)).ToList();
        if (others.Count == 0)
        {
            return;
        }

        Head(text, ["the others", "", "a second", "processor µs for one", "p50 µs", "p99 µs", "lost", "errors"]);
        foreach ((Row row, Outcome outcome) in others)
        {
            Line(text, [row.Title, outcome.Entrant.Name, Rate(outcome), .. Rest(outcome)]);
        }

        text.AppendLine();
    }

    private static Outcome? Of(IReadOnlyList<Outcome> outcomes, Role role) =>
        outcomes.FirstOrDefault(outcome => outcome.Entrant.Role == role);

    private static string Rate(Outcome outcome) =>
        outcome.Failure is { } failure ? $"failed: {failure}" : Rounded(outcome.Median(run => run.PerSecond));

    // Each turn is compared with that beside it.
    private static string Ratio(Outcome outcome, Outcome? to) => Ratio(outcome, to, run => run.PerSecond);

    private static string Ratio(Outcome outcome, Outcome? to, Func<RunFigures, double> figure)
    {
        if (to is null || to.Failure is not null || outcome.Failure is not null)
        {
            return "";
        }

        // It waited, for this program or for messages that were lost: a ratio would say nothing about its speed.
        if (to.Median(run => run.PerSecond) * to.Median(run => run.CpuMicroseconds) < IdleMicroseconds)
        {
            return "no comparison";
        }

        List<double> ratios = [.. outcome.Runs.Zip(to.Runs, (one, other) => figure(one) / figure(other))];
        return string.Create(s_culture,
            $"{Measurement.Median(ratios):0.00}{(ratios.Count > 1 ? string.Create(s_culture, $" ({ratios.Min():0.00}-{ratios.Max():0.00})") : "")}");
    }

    private static string[] Rest(Outcome outcome) => outcome.Failure is not null
        ? ["", "", "", "", ""]
        :
        [
            Rounded(outcome.Median(run => run.CpuMicroseconds), maxDecimals: 2),
            Rounded(outcome.Median(run => run.P50)),
            Rounded(outcome.Median(run => run.P99)),
            outcome.Lost.ToString("N0", s_culture),
            outcome.Errors.ToString("N0", s_culture),
        ];

    // Three digits: runs differ by a tenth.
    private static string Rounded(double figure, int maxDecimals = 0)
    {
        double unit = Math.Pow(10, Math.Max(Math.Floor(Math.Log10(Math.Max(figure, 0.01))) - 2, -maxDecimals));
        int decimals = Math.Max((int)Math.Round(-Math.Log10(unit)), 0);
        return (Math.Round(figure / unit) * unit).ToString($"N{decimals}", s_culture);
    }

    private static void Head(StringBuilder text, IReadOnlyList<string> cells)
    {
        Line(text, cells);
        text.Append('|').Insert(text.Length, "---|", cells.Count).AppendLine();
    }

    private static void Line(StringBuilder text, IReadOnlyList<string> cells) => text.AppendLine($"| {string.Join(" | ", cells)} |");

    // By processor time: the load and the server that is asked share the other processor, which is what bounds the rate.
    private static void BesideOwnAnswer(StringBuilder text, IEnumerable<(Row Row, IReadOnlyList<Outcome> Outcomes)> rows)
    {
        Head(text, ["a proxy", "", "requests a second", "processor µs a request", "own answer's processor time to it",
            "libcoap's processor time to it", "p50 µs", "p99 µs", "lost", "errors"]);
        foreach ((Row row, IReadOnlyList<Outcome> outcomes) in rows)
        {
            foreach (Outcome outcome in outcomes)
            {
                string[] rest = Rest(outcome);
                Line(text, [row.Title, outcome.Entrant.Name, Rate(outcome), rest[0],
                    outcome == outcomes[0] ? "" : Ratio(outcomes[0], outcome, run => run.CpuMicroseconds),
                    outcome.Entrant.Role == Role.Ours && Of(outcomes, Role.LibCoap) is { } libCoap
                        ? Ratio(libCoap, outcome, run => run.CpuMicroseconds) : "",
                    .. rest[1..]]);
            }
        }

        text.AppendLine();
    }

    private static void BesidePlain(
        StringBuilder text, IEnumerable<(Row Row, IReadOnlyList<Outcome> Outcomes)> rows, string first, string suffix)
    {
        Head(text, [first, "", "requests a second", $"ratio to{suffix.TrimStart(',')}", "processor µs a request",
            "ratio of processor time", "p50 µs", "p99 µs", "lost", "errors"]);
        foreach ((Row row, IReadOnlyList<Outcome> outcomes) in rows)
        {
            Outcome? plain = null;
            foreach (Outcome outcome in outcomes)
            {
                bool isPlain = outcome.Entrant.Name.EndsWith(suffix, StringComparison.Ordinal);
                plain = isPlain ? outcome : plain;
                string[] rest = Rest(outcome);
                Line(text, [row.Title, outcome.Entrant.Name, Rate(outcome), isPlain ? "" : Ratio(outcome, plain), rest[0],
                    isPlain ? "" : Ratio(plain!, outcome, run => run.CpuMicroseconds), .. rest[1..]]);
            }
        }

        text.AppendLine();
    }

    private static void Handshakes(StringBuilder text, IEnumerable<(Row Row, IReadOnlyList<Outcome> Outcomes)> rows)
    {
        Head(text, ["handshakes", "", "a second", "processor µs of the server for one", "p50 µs", "p99 µs", "lost", "errors"]);
        foreach ((Row row, IReadOnlyList<Outcome> outcomes) in rows)
        {
            foreach (Outcome outcome in outcomes)
            {
                Line(text, [row.Title, outcome.Entrant.Name, Rate(outcome), .. Rest(outcome)]);
            }
        }

        text.AppendLine();
    }

    private static void Strangers(StringBuilder text, IEnumerable<(Row Row, IReadOnlyList<Outcome> Outcomes)> rows)
    {
        Head(text, ["strangers", "", "a second", "processor µs of the server for one", "ratio of processor time", "lost", "errors"]);
        foreach ((Row row, IReadOnlyList<Outcome> outcomes) in rows)
        {
            foreach (Outcome outcome in outcomes)
            {
                string[] rest = Rest(outcome);
                Line(text, [row.Title, outcome.Entrant.Name, Rate(outcome), rest[0],
                    outcome == outcomes[0] ? "" : Ratio(outcome, outcomes[0], static run => run.CpuMicroseconds), .. rest[^2..]]);
            }
        }

        text.AppendLine();
    }
}
