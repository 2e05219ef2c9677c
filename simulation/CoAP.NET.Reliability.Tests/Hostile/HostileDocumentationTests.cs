using System.Globalization;
using System.Text;
using CoAP.NET.Options;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>The table in docs/reliability.md tells of the tables that are there; with COAP_WRITE_DOCS=1 it is written.</summary>
public sealed class HostileDocumentationTests
{
    private const string Begin = "<!-- begin hostile -->\n";
    private const string End = "<!-- end hostile -->";

    private static readonly HostileTable[] s_tables =
    [
        MessageTable.Table, OptionTable.Table, ValueTable.Table, NumberTable.Table, ObserveTable.Table, BlockTable.Table,
        SignallingTable.Table, FrameTable.Table, LinkTable.Table, UriTable.Table,
        FreshnessTable.Table, CacheTable.Table, ForeignTable.Table,
    ];

    [Fact]
    public void The_table_of_the_page_counts_the_rows_that_are_there()
    {
        string file = Path.Combine(Root(), "docs", "reliability.md");
        string page = File.ReadAllText(file).ReplaceLineEndings("\n");
        int begin = page.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length;
        int end = page.IndexOf(End, StringComparison.Ordinal);
        Assert.InRange(begin, Begin.Length, end);
        if (Environment.GetEnvironmentVariable("COAP_WRITE_DOCS") == "1")
        {
            File.WriteAllText(file, page[..begin] + Text() + page[end..]);
            return;
        }

        Assert.Equal(Text(), page[begin..end]);
    }

    [Fact]
    public void Every_rule_that_a_row_names_is_a_rule()
    {
        HashSet<string> known = [.. File.ReadLines(Path.Combine(Root(), "docs", "rfc-rows.md"))
            .Where(static line => line.StartsWith("| ", StringComparison.Ordinal)).Select(static line => line.Split('|')[1].Trim())];
        Assert.Equal([], s_tables.SelectMany(static table => table.All).SelectMany(Rules).Where(rule => !known.Contains(rule)).Distinct());
    }

    [Fact]
    public void Every_row_names_a_rule_or_a_vector_and_a_name_stands_once_in_its_table()
    {
        Assert.Equal([],
            s_tables.SelectMany(static table => table.All).Where(static row => row.Rfc.Length == 0).Select(static row => row.Name));
        Assert.Equal([],
            s_tables.SelectMany(static table => ((HostileRow[][])[table.Server, table.Client, table.StreamServer, table.StreamClient])
                .SelectMany(static rows =>
                    rows.GroupBy(static row => row.Name).Where(static group => group.Count() > 1).Select(static group => group.Key))));
    }

    [Fact]
    public void Every_bad_vector_has_a_row()
    {
        HashSet<string> there = [.. s_tables.SelectMany(static table => table.All).SelectMany(static row => row.Rfc.Split(' '))];
        Assert.Equal([], Enumerable.Range(1, 39).Select(static i => $"BAD-{i:d2}").Where(vector => !there.Contains(vector)));
    }

    [Fact]
    public void Every_option_that_the_library_knows_is_in_the_table_of_options()
    {
        string[] names = [.. OptionTable.Table.Server.Select(static row => row.Name)];
        int[] numbers = [.. typeof(OptionNumber).GetFields()
            .Where(static field => field.IsLiteral && field.Name != nameof(OptionNumber.Max))
            .Select(static field => (int)field.GetRawConstantValue()!)];

        // The block options have a table of their own.
        Assert.Equal(numbers.Length - 2, names.Count(static name => name.EndsWith(" twice in a GET", StringComparison.Ordinal)));
    }

    private static IEnumerable<string> Rules(HostileRow row) =>
        row.Rfc.Split(' ', StringSplitOptions.RemoveEmptyEntries).Where(static rule => !rule.StartsWith("BAD-", StringComparison.Ordinal));

    private static string Text()
    {
        StringBuilder text = new("\n| layer | rows | against the server | against the client | RFC rows |\n|---|---|---|---|---|\n");
        foreach (HostileTable table in s_tables)
        {
            string rules = string.Join(" ", table.All.SelectMany(Rules).Distinct().Order(StringComparer.Ordinal));
            Append(text, table.Layer, table.All.Count(), table.Server.Length + table.StreamServer.Length,
                table.Client.Length + table.StreamClient.Length, rules);
        }

        Append(
            text, "all", s_tables.Sum(static table => table.All.Count()),
            s_tables.Sum(static table => table.Server.Length + table.StreamServer.Length),
            s_tables.Sum(static table => table.Client.Length + table.StreamClient.Length),
            $"{s_tables.SelectMany(static table => table.All).SelectMany(Rules).Distinct().Count()} different ones");
        return text.Append('\n').ToString();
    }

    private static void Append(StringBuilder text, string layer, int rows, int server, int client, string rules) =>
        text.Append(CultureInfo.InvariantCulture, $"| {layer} | {rows} | {server} | {client} | {rules} |\n");

    private static string Root()
    {
        DirectoryInfo? directory = new(AppContext.BaseDirectory);
        while (directory is not null && !File.Exists(Path.Combine(directory.FullName, "CoAP.NET.sln")))
        {
            directory = directory.Parent;
        }

        return directory?.FullName ?? throw new InvalidOperationException("The tests do not run from within the repository.");
    }
}
