using System.Text.RegularExpressions;

namespace CoAP.NET.RfcTable;

/// <summary>A rule of an RFC, as a line of the table in rows.md says it.</summary>
/// <param name="Section">The heading it stands under.</param>
/// <param name="Id">RFC, section and number.</param>
/// <param name="Level">M, S, O or Q.</param>
/// <param name="Requirement">The rule.</param>
/// <param name="NotMet">Why no test shows it; empty if a test does.</param>
internal sealed partial record Row(string Section, string Id, string Level, string Requirement, string NotMet)
{
    /// <summary>The levels: MUST, SHOULD, MAY, and rules that are stated without such a word.</summary>
    public static IReadOnlyList<string> Levels { get; } = ["M", "S", "O", "Q"];

    /// <summary>The level as RFC 2119 names it.</summary>
    public string LevelName => Level switch { "M" => "MUST", "S" => "SHOULD", "O" => "MAY", _ => "other" };

    /// <summary>Reads the table of features that are not offered.</summary>
    /// <param name="file">The file of the rows.</param>
    public static IReadOnlyList<string> ReadFeatures(string file) =>
        [.. File.ReadLines(file).SkipWhile(line => line != "## Features that are not offered")
            .Where(line => line.StartsWith("| ", StringComparison.Ordinal)).Skip(1)];

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
