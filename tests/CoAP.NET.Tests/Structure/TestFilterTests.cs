using System.Text.RegularExpressions;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Structure;

/// <summary>
/// Filters of tests in scripts and pages name tests that exist: a filter of a renamed test would include or exclude nothing.
/// </summary>
public sealed partial class TestFilterTests
{
    private static readonly string[] s_folders = [".ci", ".github", "docs"];

    [Fact]
    public void Filters_of_tests_in_scripts_and_pages_name_existing_tests()
    {
        string[] sources = [
            .. new[] { "tests", "simulation" }
                .SelectMany(folder => Directory.EnumerateFiles(Path.Combine(Repository.Root, folder), "*.cs", SearchOption.AllDirectories))
                .Select(File.ReadAllText)];
        string[] lines = [.. sources.SelectMany(source => source.Split('\n')).Where(line => Declaration().IsMatch(line))];
        (string Kind, string Pattern)[] filters = [
            .. s_folders.SelectMany(folder =>
                    Directory.EnumerateFiles(Path.Combine(Repository.Root, folder), "*", SearchOption.AllDirectories))
                .SelectMany(file => Filter().Matches(File.ReadAllText(file).Replace("\\\n", " ", Ordinal)))
                .SelectMany(match => match.Groups["pattern"].Captures.Select(pattern => (match.Groups["kind"].Value, pattern.Value)))];
        Assert.NotEmpty(filters);
        Assert.DoesNotContain(filters, filter => !lines.Any(line => Declares(line, filter.Kind, filter.Pattern)));
    }

    private static bool Declares(string line, string kind, string pattern)
    {
        string plain = pattern.Trim('\'', '"');
        if (kind == "class" && plain.EndsWith(".*", Ordinal))
        {
            kind = "namespace";
        }

        string[] words = plain.Split('.', '*').Where(word => word.Length > 0).ToArray();
        return kind switch
        {
            "namespace" => line.StartsWith("namespace ", Ordinal)
                && line.Contains(string.Join('.', words), Ordinal),
            "class" => line.Contains($"class {words[^1]}", Ordinal),
            _ => line.Contains($" {words[^1]}", Ordinal),
        };
    }

    [GeneratedRegex(@"--filter-(?:not-)?(?<kind>class|method|namespace)(?: +(?<pattern>(?:'[^']+'|""[^""]+""|[*\w][\w.*]*)))+")]
    private static partial Regex Filter();

    [GeneratedRegex(@"^(?:namespace |public (?:sealed |static |abstract |partial )*class |    public (?:async )?(?:Task|void) )")]
    private static partial Regex Declaration();
}
