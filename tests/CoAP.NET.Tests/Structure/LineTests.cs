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
        string[] folders = ["src", "tests", "simulation", "benchmarks", "samples"];
        string[] files = [.. folders
            .SelectMany(folder => Directory.EnumerateFiles(Path.Combine(Repository.Root, folder), "*.cs", SearchOption.AllDirectories))
            .Where(static file => !IsMadeByBuild(file))];

        Assert.NotEmpty(files);
        Assert.Empty(files.SelectMany(TooLong));
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
