using System.Reflection;
using System.Text.RegularExpressions;

namespace CoAP.NET.Dtls.Tests.Options;

/// <summary>The tests that docs/dtls-cases.md and docs/security.md name for cases and for CVEs are in this assembly.</summary>
public sealed partial class NamedTestTests
{
    private static readonly ILookup<string, string[]> s_tests = typeof(NamedTestTests).Assembly.GetTypes()
        .Where(static type => type.IsPublic && type.Name.EndsWith("Tests", Ordinal))
        .ToLookup(
            static type => type.Name,
            static type => (string[])[.. type.GetMethods().Where(static one => one.IsDefined(typeof(FactAttribute))).Select(
                static one => one.Name)]);

    [Theory]
    [InlineData("dtls-cases.md", 100)]
    [InlineData("security.md", 25)]
    public void Each_row_of_the_page_names_tests_that_exist(string page, int rows)
    {
        MatchCollection tables = Table().Matches(
            File.ReadAllText(Path.Combine(Repository.Root, "docs", page)).ReplaceLineEndings("\n"));
        string[] lines = [.. tables.SelectMany(static table => table.Groups["row"].Captures.Select(static row => row.Value))];

        Assert.True(lines.Length >= rows, $"{lines.Length} rows");
        Assert.All(lines, static line =>
        {
            string[] names = [.. Name().Matches(line.Split('|')[^2]).Select(static match => match.Groups["name"].Value)];
            Assert.NotEmpty(names);
            string type = "";
            foreach (string name in names)
            {
                string[] parts = name.Split('.');
                type = parts[0].Length > 0 ? parts[0] : type;
                string[] tests = [.. Assert.Single(s_tests[type])];
                Assert.True(parts.Length == 1 || tests.Contains(parts[1]), $"{type} has no test {name}.");
            }
        });
    }

    [GeneratedRegex(@"^\|[^\n]*\| test \|\n\|[-|]+\n(?<row>\|[^\n]*\n)+", RegexOptions.Multiline)]
    private static partial Regex Table();

    [GeneratedRegex("`(?<name>[^`]+)`")]
    private static partial Regex Name();
}
