using System.Text.RegularExpressions;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Structure;

/// <summary>Lines have at most 140 columns, except for texts and URLs, which cannot be broken.</summary>
public sealed partial class LineLengthTests
{
    private const int MaxColumns = 140;

    // A line with a shorter text can be broken before it.
    private const int LongText = 30;

    private static readonly string[] s_folders = ["src", "tools", "tests", "simulation", "samples", "benchmarks", "build"];

    [Fact]
    public void Lines_of_code_have_at_most_140_columns()
    {
        List<string> tooLong = [];
        foreach (string file in Repository.FilesIn(s_folders, "*.cs"))
        {
            string name = Path.GetRelativePath(Repository.Root, file);
            string code = File.ReadAllText(file);
            string[] lines = code.Split('\n');
            tooLong.AddRange(Enumerable.Range(0, lines.Length)
                .Where(i => lines[i].TrimEnd('\r').Length > MaxColumns && !HasText(lines[i], code)).Select(i => $"{name}:{i + 1}"));
        }

        Assert.True(tooLong.Count == 0, string.Join(Environment.NewLine, tooLong));
    }

    private static bool HasText(string line, string code) =>
        line.TrimStart().StartsWith("//", Ordinal)
            ? line.Contains("://", Ordinal)
            : LongLiteral().IsMatch(line) || StringLiterals.Of(code).Any(text => text.Text.Contains(line.Trim()[..LongText], Ordinal));

    [GeneratedRegex("""\"{3}|\"(?:[^\"\\]|\\.){30,}""")]
    private static partial Regex LongLiteral();
}
