using CoAP.NET.Content;
using Spectre.Console;

namespace CoAP.NET.Cli.Output;

internal static class TableFormatter
{
    // Longer ones leave too little for the other columns.
    private const int LongestName = 40;

    /// <summary>Creates a table of the non-empty columns. Each row is one line, as far as the width allows.</summary>
    public static Table Of<T>(IReadOnlyList<T> rows, IReadOnlyList<(string Name, Func<T, string> Text)> columns)
    {
        string[][] texts = [.. rows.Select(row => columns.Select(column => TextSanitizer.LineOf(column.Text(row))).ToArray())];
        int[] shown = [.. Enumerable.Range(0, columns.Count).Where(i => i == 0 || texts.Any(row => row[i].Length > 0))];
        Table table = new Table().Border(TableBorder.Simple);
        foreach (int i in shown)
        {
            // The first column names the row: it is wrapped last.
            bool isFolded = i > 0 || texts.Any(row => row[0].Length > LongestName);
            table.AddColumn(new TableColumn(MarkupFormatter.Of($"[bold]{Markup.Escape(columns[i].Name)}[/]")) { NoWrap = !isFolded });
        }

        foreach (string[] row in texts)
        {
            table.AddRow(shown.Select(i => MarkupFormatter.Of(Markup.Escape(row[i]))));
        }

        return table;
    }
}
