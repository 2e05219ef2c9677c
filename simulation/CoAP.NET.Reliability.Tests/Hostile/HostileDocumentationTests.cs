namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>The table in docs/reliability.md tells of the tables that are there; with COAP_WRITE_DOCS=1 it is written.</summary>
public sealed class HostileDocumentationTests
{
    private const string Begin = "<!-- begin hostile -->\n";
    private const string End = "<!-- end hostile -->";

    [Fact]
    public void The_table_of_the_page_counts_the_rows_that_are_there()
    {
        string file = Path.Combine(Repository.Root, "docs", "reliability.md");
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
        HashSet<string> known = [.. File.ReadLines(Path.Combine(Repository.Root, "docs", "rfc-rows.md"))
            .Where(line => line.StartsWith("| ", StringComparison.Ordinal)).Select(line => line.Split('|')[1].Trim())];
        Assert.Equal([],
            HostileTable.Tables.SelectMany(table => table.All).SelectMany(Rules).Where(rule => !known.Contains(rule)).Distinct());
    }

    [Fact]
    public void Every_row_names_a_rule_or_a_vector_and_a_name_stands_once_in_its_table()
    {
        Assert.Equal([],
            HostileTable.Tables.SelectMany(table => table.All).Where(row => row.Rfc.Length == 0).Select(row => row.Name));
        Assert.Equal([],
            HostileTable.Tables.SelectMany(table => table.Peers.Values)
                .SelectMany(rows => rows.GroupBy(row => row.Name).Where(group => group.Count() > 1).Select(group => group.Key)));
    }

    [Fact]
    public void Every_bad_vector_has_a_row()
    {
        HashSet<string> there = [.. HostileTable.Tables.SelectMany(table => table.All).SelectMany(row => row.Rfc.Split(' '))];
        Assert.Equal([], Enumerable.Range(1, 39).Select(i => $"BAD-{i:d2}").Where(vector => !there.Contains(vector)));
    }

    [Fact]
    public void Every_option_that_the_library_knows_is_in_the_table_of_options()
    {
        string[] names = [.. OptionTable.Table.Peers[HostileTable.Server].Select(row => row.Name)];
        int[] numbers = [.. typeof(OptionNumber).GetFields()
            .Where(field => field.IsLiteral && field.Name != nameof(OptionNumber.Max))
            .Select(field => (int)field.GetRawConstantValue()!)];

        // The block options have a table of their own.
        Assert.Equal(numbers.Length - 2, names.Count(name => name.EndsWith(" twice in a GET", StringComparison.Ordinal)));
    }

    private static IEnumerable<string> Rules(HostileRow row) =>
        row.Rfc.Split(' ', StringSplitOptions.RemoveEmptyEntries).Where(rule => !rule.StartsWith("BAD-", StringComparison.Ordinal));

    private static string Text()
    {
        StringBuilder text = new("\n| layer | rows | against the server | against the client | RFC rows |\n|---|---|---|---|---|\n");
        foreach (HostileTable table in HostileTable.Tables)
        {
            string rules = string.Join(" ", table.All.SelectMany(Rules).Distinct().Order(StringComparer.Ordinal));
            Append(text, table.Layer, table.All.Count(), table.ToServers, rules);
        }

        HostileRow[] all = [.. HostileTable.Tables.SelectMany(table => table.All)];
        Append(text, "all", all.Length, HostileTable.Tables.Sum(table => table.ToServers),
            $"{all.SelectMany(Rules).Distinct().Count()} different ones");
        return text.Append('\n').ToString();
    }

    private static void Append(StringBuilder text, string layer, int rows, int toServers, string rules) =>
        text.Append(CultureInfo.InvariantCulture, $"| {layer} | {rows} | {toServers} | {rows - toServers} | {rules} |\n");
}
