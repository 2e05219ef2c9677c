using System.Text.RegularExpressions;

namespace CoAP.NET.RfcTable;

/// <summary>A rule of an RFC, as a line of the table in docs/rfc-rows.md says it.</summary>
/// <param name="Section">The heading it stands under.</param>
/// <param name="Id">RFC, section and number.</param>
/// <param name="Level">M, S, O or Q.</param>
/// <param name="Requirement">The rule.</param>
/// <param name="NotClaimed">Why it is not claimed; of no characters when it is.</param>
internal sealed partial record Row(string Section, string Id, string Level, string Requirement, string NotClaimed)
{
    public static IReadOnlyList<Row> Read(string file)
    {
        List<Row> rows = [];
        string section = string.Empty;
        foreach (string line in File.ReadLines(file))
        {
            if (line.StartsWith("## ", StringComparison.Ordinal))
            {
                section = line[3..];
            }
            else if (RowLine().Match(line) is { Success: true } match)
            {
                rows.Add(new Row(section, match.Groups[1].Value, match.Groups[2].Value, match.Groups[3].Value, match.Groups[4].Value));
            }
        }

        return rows;
    }

    [GeneratedRegex(@"^\| *((?:\d{4}|gc|pubsub)-[\w.]+-\d+) *\| *([MSOQ]) *\| *(.*?) *\| *(.*?) *\|$")]
    private static partial Regex RowLine();
}
