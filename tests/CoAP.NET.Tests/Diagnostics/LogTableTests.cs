using System.Globalization;
using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;
using CoAP.NET.Tests.Structure;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Diagnostics;

/// <summary>
/// The ids of log messages are what people filter by: each means one thing for ever. Set COAP_WRITE_DOCS=1 to write the table anew.
/// </summary>
public partial class LogTableTests
{
    private const string Page = "telemetry-log.md";

    private static readonly (string Name, LoggerMessageAttribute Message)[] s_messages =
    [
        .. typeof(CoapCounters).Assembly.GetType("CoAP.NET.Log")!
            .GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic)
            .Select(static method => (method.Name, Message: method.GetCustomAttribute<LoggerMessageAttribute>()!))
            .Where(static entry => entry.Message is not null)
            .OrderBy(static entry => entry.Message.EventId),
    ];

    [Fact]
    public void Every_id_belongs_to_one_message()
    {
        Assert.True(s_messages.Length > 30);
        Assert.Empty(s_messages.GroupBy(static entry => entry.Message.EventId).Where(static group => group.Count() > 1)
            .Select(static group => string.Join(", ", group.Select(static entry => entry.Name))));
        Assert.Equal(s_messages.Length, s_messages.Select(static entry => entry.Name).Distinct().Count());
    }

    [Fact]
    public void The_table_is_that_of_the_code_and_no_id_is_used_again()
    {
        string path = Path.Combine(SourceTree.Root, "docs", Page);
        string written = File.Exists(path) ? File.ReadAllText(path).ReplaceLineEndings("\n") : string.Empty;
        Dictionary<int, string> known = Row().Matches(written)
            .ToDictionary(static row => int.Parse(row.Groups["id"].Value, CultureInfo.InvariantCulture),
                static row => row.Groups["name"].Value);
        Assert.Empty(s_messages.Where(entry => known.TryGetValue(entry.Message.EventId, out string? name) && name != entry.Name)
            .Select(entry => $"{entry.Message.EventId} was {known[entry.Message.EventId]} and is {entry.Name}"));
        string table = Table(known);
        if (Environment.GetEnvironmentVariable("COAP_WRITE_DOCS") == "1")
        {
            File.WriteAllText(path, table);
        }
        else
        {
            Assert.Equal(table, written);
        }
    }

    [Fact]
    public void Payloads_are_never_logged() =>
        Assert.DoesNotContain(s_messages, static entry => entry.Message.Message!.Contains("Payload}", StringComparison.OrdinalIgnoreCase));

    private static string Table(Dictionary<int, string> known)
    {
        StringBuilder page = new();
        page.Append("# Log messages\n\n");
        page.Append("Category `CoAP.NET`. What peers do wrong is Debug, what we or the code that uses the library do wrong is Warning or "
            + "Error. An id means one message for ever.\n");
        page.Append("The table is checked against the code by a test; `COAP_WRITE_DOCS=1` writes it anew.\n\n");
        page.Append("| Id | Name | Level | Message |\n|---|---|---|---|\n");
        HashSet<int> live = [.. s_messages.Select(static entry => entry.Message.EventId)];
        IEnumerable<(int Id, string Row)> rows = s_messages
            .Select(static entry =>
                (entry.Message.EventId,
                    $"| {entry.Message.EventId} | {entry.Name} | {entry.Message.Level} "
                        + $"| {entry.Message.Message!.Replace("|", "\\|", StringComparison.Ordinal).Replace("\n", " ", StringComparison.Ordinal)} |\n"))
            .Concat(known.Where(entry => !live.Contains(entry.Key))
                .Select(static entry => (entry.Key, $"| {entry.Key} | {entry.Value} | | not used any more |\n")));
        foreach ((_, string row) in rows.OrderBy(static row => row.Id))
        {
            page.Append(row);
        }

        return page.ToString();
    }

    [GeneratedRegex(@"^\| (?<id>\d+) \| (?<name>\w+) \|", RegexOptions.Multiline)]
    private static partial Regex Row();
}
