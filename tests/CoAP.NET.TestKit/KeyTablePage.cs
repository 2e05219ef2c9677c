namespace CoAP.NET.Tests.Shared;

/// <summary>The tables of keys in docs/hosting*.md: each key with its default and what is allowed, as the code has them.</summary>
internal static class KeyTablePage
{
    // Set to rewrite the tables. What keys mean is kept; with a new key it fails after writing, until the page says what it means.
    private const string WriteVariable = "COAP_WRITE_DOCS";

    /// <summary>Fails when a table is not that of the code.</summary>
    /// <param name="name">What a page calls the table.</param>
    /// <param name="keys">The path of each key on the page, its default and what is allowed.</param>
    public static void Check(string name, IEnumerable<(string Path, string Value, string Allowed)> keys)
    {
        string[] expected = [.. keys.Select(static key => $"| `{key.Path}` | {key.Value} | {key.Allowed} |")];
        string mark = $"<!-- keys: {name} -->";
        string path = Directory.GetFiles(Path.Combine(Repository.Root, "docs"), "hosting*.md")
            .Single(file => File.ReadAllText(file).Contains(mark, Ordinal));
        string page = File.ReadAllText(path);
        string section = page.Split(mark)[1].Split("<!-- end -->")[0];
        string[] rows = [.. section.Split('\n').Where(static row => row.StartsWith("| `", Ordinal))];
        if (Environment.GetEnvironmentVariable(WriteVariable) is not null)
        {
            Dictionary<string, string> meanings = rows.ToDictionary(static row => row.Split('`')[1], static row => row.Split(" | ")[^1]);
            IEnumerable<string> written =
                expected.Select(row => $"{row} {(meanings.TryGetValue(row.Split('`')[1], out string? meaning) ? meaning : "? |")}");
            rows = [.. written];
            File.WriteAllText(path,
                page.Replace(section, $"\n| key | default | allowed | meaning |\n|---|---|---|---|\n{string.Join('\n', rows)}\n",
                    Ordinal));
        }

        Assert.Equal(expected, rows.Select(static row => row[..(row.LastIndexOf(" | ", Ordinal) + 2)]));
        Assert.All(rows, static row => Assert.Matches(@"\| [^|]{5,} \|$", row));
    }
}
