using CoAP.NET.Hosting;

namespace CoAP.NET.Tests.Shared;

/// <summary>The tables of keys in docs/hosting*.md: each key with its default and what is allowed, as the code has them.</summary>
internal static class KeyTablePage
{
    // Set to rewrite the tables; what keys mean is kept, and new ones have to be described.
    private const string WriteVariable = "COAP_WRITE_DOCS";

    /// <summary>Fails when a table is not that of the code.</summary>
    /// <param name="name">What a page calls the table.</param>
    /// <param name="table">The keys.</param>
    /// <param name="fresh">Options that nobody has changed.</param>
    /// <param name="filter">Which keys are on the page; null for all.</param>
    public static void Check<T>(string name, KeyTable<T> table, T fresh, Func<string, bool>? filter = null)
    {
        string[] expected = [.. table.Keys.Where(key => filter?.Invoke(key.Path) ?? true)
            .Select(key => $"| `{key.Path}` | {key.ValueOf(fresh)} | {key.Allowed} |")];
        string mark = $"<!-- keys: {name} -->";
        string path = Directory.GetFiles(Path.Combine(Repository.Root, "docs"), "hosting*.md")
            .Single(file => File.ReadAllText(file).Contains(mark, StringComparison.Ordinal));
        string page = File.ReadAllText(path);
        string section = page.Split(mark)[1].Split("<!-- end -->")[0];
        string[] rows = [.. section.Split('\n').Where(static row => row.StartsWith("| `", StringComparison.Ordinal))];
        if (Environment.GetEnvironmentVariable(WriteVariable) is not null)
        {
            Dictionary<string, string> meanings = rows.ToDictionary(static row => row.Split('`')[1], static row => row.Split(" | ")[^1]);
            IEnumerable<string> written =
                expected.Select(row => $"{row} {(meanings.TryGetValue(row.Split('`')[1], out string? meaning) ? meaning : "? |")}");
            File.WriteAllText(path,
                page.Replace(section, $"\n| key | default | allowed | meaning |\n|---|---|---|---|\n{string.Join('\n', written)}\n",
                    StringComparison.Ordinal));
            return;
        }

        Assert.Equal(expected, rows.Select(static row => row[..(row.LastIndexOf(" | ", StringComparison.Ordinal) + 2)]));
        Assert.All(rows, static row => Assert.Matches(@"\| [^|]{5,} \|$", row));
    }
}
