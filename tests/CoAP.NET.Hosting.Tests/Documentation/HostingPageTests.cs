using System.Text.RegularExpressions;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Hosting.Tests.Documentation;

/// <summary>
/// docs/hosting.md: its tables of keys are those of the code, and its snippets stand in the sample or in the tests of this folder.
/// </summary>
public sealed partial class HostingPageTests
{
    // Set to rewrite the tables; what keys mean is kept, and new ones have to be described.
    private const string WriteVariable = "COAP_WRITE_DOCS";

    private static string Page => Path.Combine(Repository.Root, "docs", "hosting.md");

    [Fact]
    public void The_table_of_a_servers_keys_has_each_with_its_default_and_what_is_allowed() =>
        CheckTable("server", ServerKeys.Table, new CoapServerOptions());

    [Fact]
    public void The_table_of_a_clients_keys_has_what_servers_do_not_have_or_have_otherwise()
    {
        HashSet<string> shared = [.. ServerKeys.Table.Keys.Select(static key => key.Path)];
        shared.Remove("AllowUnknownKeys");
        shared.Remove("RequirePrivateKeyFiles");
        KeyTable<CoapClientOptions> own = new();
        own.Include(ClientKeys.Table, static options => options);
        CheckTable("client", own, new CoapClientOptions(), key => !shared.Contains(key));
    }

    [Fact]
    public void The_table_of_a_proxys_keys_has_each_with_its_default_and_what_is_allowed() =>
        CheckTable("proxy", ProxyKeys.Table, new CoapHostedProxyOptions());

    [Fact]
    public void The_table_of_the_keys_of_a_back_end_has_each_with_its_default_and_what_is_allowed() =>
        CheckTable("backend", ProxyKeys.HttpTable, new CoapHttpBackendRoute());

    [Fact]
    public void Every_snippet_is_compiled()
    {
        string code = string.Concat(
            Directory.GetFiles(Path.Combine(Repository.Root, "samples", "Hosting"), "*.cs")
                .Concat(Directory.GetFiles(Path.Combine(Repository.Root, "tests", "CoAP.NET.Hosting.Tests", "Documentation"), "*.cs"))
                .Select(static file => Flat(File.ReadAllText(file))));
        MatchCollection snippets = Snippet().Matches(File.ReadAllText(Page));
        Assert.True(snippets.Count >= 6);
        Assert.All(snippets, snippet => Assert.Contains(Flat(snippet.Groups["code"].Value), code, StringComparison.Ordinal));
    }

    private static void CheckTable<T>(string name, KeyTable<T> table, T fresh, Func<string, bool>? filter = null)
    {
        string[] expected = [.. table.Keys.Where(key => filter?.Invoke(key.Path) ?? true)
            .Select(key => $"| `{key.Path}` | {key.ValueOf(fresh)} | {key.Allowed} |")];
        string page = File.ReadAllText(Page);
        string section = page.Split($"<!-- keys: {name} -->")[1].Split("<!-- end -->")[0];
        string[] rows = [.. section.Split('\n').Where(static row => row.StartsWith("| `", StringComparison.Ordinal))];
        if (Environment.GetEnvironmentVariable(WriteVariable) is not null)
        {
            Dictionary<string, string> meanings = rows.ToDictionary(static row => row.Split('`')[1], static row => row.Split(" | ")[^1]);
            IEnumerable<string> written =
                expected.Select(row => $"{row} {(meanings.TryGetValue(row.Split('`')[1], out string? meaning) ? meaning : "? |")}");
            File.WriteAllText(Page,
                page.Replace(section, $"\n| key | default | allowed | meaning |\n|---|---|---|---|\n{string.Join('\n', written)}\n",
                    StringComparison.Ordinal));
            return;
        }

        Assert.Equal(expected, rows.Select(static row => row[..(row.LastIndexOf(" | ", StringComparison.Ordinal) + 2)]));
        Assert.All(rows, static row => Assert.Matches(@"\| [^|]{5,} \|$", row));
    }

    private static string Flat(string code) => Blank().Replace(code, string.Empty);

    [GeneratedRegex("^```csharp\r?\n(?<code>.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Snippet();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blank();
}
