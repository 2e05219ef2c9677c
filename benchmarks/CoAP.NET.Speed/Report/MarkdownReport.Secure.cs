using System.Text;
using CoAP.NET.Speed.Rows;

namespace CoAP.NET.Speed.Report;

// The tables of DTLS, TLS, OSCORE and the dashboard.
internal static partial class MarkdownReport
{
    /// <summary>How the name of one ends that others, which follow it, are compared with.</summary>
    public const string Plain = ", no DTLS";

    /// <summary>The same for connections with TLS.</summary>
    public const string WithoutTls = ", no TLS";

    /// <summary>The same where OSCORE protects the others.</summary>
    public const string Unprotected = ", no OSCORE";

    /// <summary>The same where a dashboard shows the others.</summary>
    public const string Unwatched = ", no page open";

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
}
