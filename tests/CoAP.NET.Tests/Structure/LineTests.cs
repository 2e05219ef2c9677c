using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Structure;

/// <summary>Code and comments are read side by side with something else: no line is longer than 140 columns.</summary>
public class LineTests
{
    private const int MaxColumns = 140;

    // What may stand around a string that alone makes its line long.
    private const int MaxBesideString = 60;

    [Fact]
    public void No_line_is_longer_than_140_columns()
    {
        string[] folders = ["src", "tests", "simulation", "benchmarks", "samples", "site"];
        string[] files = [.. folders
            .SelectMany(folder => Directory.EnumerateFiles(Path.Combine(Repository.Root, folder), "*.cs", SearchOption.AllDirectories))
            .Where(static file => !IsMadeByBuild(file))];

        Assert.NotEmpty(files);
        Assert.Empty(files.SelectMany(TooLong));
    }

    // Snippets are read on pages that are narrower than an editor.
    [Fact]
    public void No_line_of_a_snippet_is_longer_than_140_columns()
    {
        string[] pages = [Path.Combine(Repository.Root, "README.md"), Path.Combine(Repository.Root, "CONTRIBUTING.md"),
            .. Directory.EnumerateFiles(Path.Combine(Repository.Root, "docs"), "*.md", SearchOption.AllDirectories)];

        Assert.True(pages.Sum(static page => Snippets(page).Count()) > 1000);
        Assert.Empty(pages.SelectMany(page => Snippets(page).Where(static line => line.Text.Length > MaxColumns
            && !IsStringOrAddress(line.Text)).Select(line => $"{Path.GetRelativePath(Repository.Root, page)}:{line.Number}")));
    }

    [Theory]
    [InlineData(false, "        // words")]
    [InlineData(false, "        Call(argument, \"text\", argument)")]
    [InlineData(true, "            \"a string that cannot be broken\"),")]
    [InlineData(true, "    // see https://example.com/")]
    public void A_long_line_is_a_string_or_an_address(bool isAllowed, string begin)
    {
        string line = begin.Contains('"', StringComparison.Ordinal) && isAllowed
            ? begin.Replace("string", new string('x', MaxColumns), StringComparison.Ordinal)
            : begin + string.Concat(Enumerable.Repeat(" and more", MaxColumns / 8));
        Assert.True(line.Length > MaxColumns);
        Assert.Equal(isAllowed, IsStringOrAddress(line));
    }

    private static IEnumerable<(int Number, string Text)> Snippets(string page)
    {
        string? fence = null;
        foreach ((int index, string line) in File.ReadAllLines(page).Index())
        {
            if (line.TrimStart().StartsWith("```", StringComparison.Ordinal))
            {
                fence = fence is null ? line.Trim() : null;
            }
            else if (fence is "```csharp" or "```cs")
            {
                yield return (index + 1, line);
            }
        }
    }

    private static IEnumerable<string> TooLong(string file)
    {
        string[] lines = File.ReadAllLines(file);
        bool isInRawString = false;
        for (int i = 0; i < lines.Length; i++)
        {
            bool wasInRawString = isInRawString;
            isInRawString ^= (lines[i].Split("\"\"\"").Length - 1) % 2 == 1;
            if (lines[i].Length > MaxColumns && !wasInRawString && !isInRawString && !IsStringOrAddress(lines[i]))
            {
                yield return $"{Path.GetRelativePath(Repository.Root, file)}:{i + 1}";
            }
        }
    }

    private static bool IsStringOrAddress(string line)
    {
        int first = line.IndexOf('"', StringComparison.Ordinal);
        string rest = first < 0 ? line : line[..first].TrimStart() + line[(line.LastIndexOf('"') + 1)..];
        return line.Contains("://", StringComparison.Ordinal) || (first >= 0 && rest.Length <= MaxBesideString);
    }

    private static bool IsMadeByBuild(string file) =>
        Path.GetRelativePath(Repository.Root, file).Split(Path.DirectorySeparatorChar).Any(static part => part is "bin" or "obj");
}
