using System.Globalization;
using System.Text;

namespace CoAP.NET.RfcTable;

/// <summary>The page docs/conformance.md: how many rules of each RFC the tests show, and each rule that is not kept.</summary>
internal static class ConformancePage
{
    /// <summary>Writes the page.</summary>
    /// <param name="rows">All rules.</param>
    /// <param name="features">The lines of the table of features that the library does not offer.</param>
    /// <param name="tests">The tests of each rule.</param>
    public static string Write(IReadOnlyList<Row> rows, IReadOnlyList<string> features, ILookup<string, string> tests)
    {
        StringBuilder page = new();
        page.Append(CultureInfo.InvariantCulture, $"""
            # Conformance

            This page shows which rules of the RFCs the library keeps. A rule is met when the tests that name it passed in the run of CI that
            checked this page. A rule without a test is not met, also when the library declines it on purpose.

            Of {rows.Count} rules, {rows.Count(row => tests.Contains(row.Id))} are met. All rules are in `tests/CoAP.NET.RfcTable/rows.md` of the
            repository. Tests name them by `[Rfc("7252-4.5-1")]`; search for an id to find its tests. A program generates this page: `dotnet run -c Release --project tests/CoAP.NET.RfcTable -- --write`.

            MUST, SHOULD and MAY count the rules of each level. "Other" counts rules that an RFC states without such a word. A cell has the met
            rules and all rules.

            | RFC section | MUST | SHOULD | MAY | other |
            |---|---|---|---|---|

            """);
        foreach (IGrouping<string, Row> section in rows.GroupBy(row => row.Section))
        {
            AppendCounts(page, section.Key, [.. section], tests);
        }

        AppendCounts(page, "all", rows, tests);
        page.Append("\n## Rules that are not met\n\n| id | level | rule | reason |\n|---|---|---|---|\n");
        foreach (Row row in rows.Where(row => !tests.Contains(row.Id)))
        {
            page.Append(CultureInfo.InvariantCulture, $"| {row.Id} | {row.LevelName} | {row.Requirement} | {row.NotMet} |\n");
        }

        page.Append("\n## Features that are not offered\n\n| feature | reason |\n|---|---|\n");
        foreach (string line in features)
        {
            page.Append(CultureInfo.InvariantCulture, $"{line}\n");
        }

        return page.ToString();
    }

    private static void AppendCounts(StringBuilder page, string name, IReadOnlyList<Row> rows, ILookup<string, string> tests)
    {
        string[] cells = [.. Row.Levels.Select(level => rows.Where(row => row.Level == level).ToArray())
            .Select(of => of.Length == 0 ? "" : $"{of.Count(row => tests.Contains(row.Id))} of {of.Length}")];
        page.Append(CultureInfo.InvariantCulture, $"| {name} | {string.Join(" | ", cells)} |\n");
    }
}
