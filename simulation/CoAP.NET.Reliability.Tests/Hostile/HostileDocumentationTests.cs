namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>The tables are complete, their rows name rules that exist, and docs/reliability.md counts them.</summary>
public sealed class HostileDocumentationTests
{
    [Fact]
    public void The_page_states_the_number_of_rows_and_layers()
    {
        int rows = HostileTable.Tables.Sum(table => table.All.Count());
        Assert.Contains(string.Create(CultureInfo.InvariantCulture, $"{rows:N0} rows for {HostileTable.Tables.Count} layers"),
            File.ReadAllText(Path.Combine(Repository.Root, "docs", "reliability.md")));
    }

    [Fact]
    public void Every_rule_that_a_row_refers_to_exists()
    {
        HashSet<string> known = [.. File.ReadLines(Path.Combine(Repository.Root, "tests", "CoAP.NET.RfcTable", "rows.md"))
            .Where(line => line.StartsWith("| ", StringComparison.Ordinal)).Select(line => line.Split('|')[1].Trim())];
        Assert.Equal([],
            HostileTable.Tables.SelectMany(table => table.All).SelectMany(Rules).Where(rule => !known.Contains(rule)).Distinct());
    }

    [Fact]
    public void Every_row_has_an_RFC_rule_or_a_vector_and_row_names_are_unique_in_their_table()
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
    public void The_table_of_options_lists_every_option_that_the_library_knows()
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
}
