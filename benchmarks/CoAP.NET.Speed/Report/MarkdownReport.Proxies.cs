using System.Text;
using CoAP.NET.Speed.Rows;

namespace CoAP.NET.Speed.Report;

// The table of proxies.
internal static partial class MarkdownReport
{
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
                    outcome == outcomes[0] ? "" : Ratio(outcomes[0], outcome, static run => run.CpuMicroseconds),
                    outcome.Entrant.Role == Role.Ours && Of(outcomes, Role.LibCoap) is { } libCoap
                        ? Ratio(libCoap, outcome, static run => run.CpuMicroseconds) : "",
                    .. rest[1..]]);
            }
        }

        text.AppendLine();
    }
}
