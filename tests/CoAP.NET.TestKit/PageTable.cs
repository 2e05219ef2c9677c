namespace CoAP.NET.Tests.Shared;

/// <summary>A table on a page of docs/ that is made from the code, between two lines of the page.</summary>
internal static class PageTable
{
    private const string WriteVariable = "COAP_WRITE_DOCS";

    /// <summary>Compares the table of a page with that of the code. With COAP_WRITE_DOCS=1 it writes it there instead.</summary>
    /// <param name="page">The file name of the page, in docs/.</param>
    /// <param name="begin">What the table follows.</param>
    /// <param name="end">What follows the table.</param>
    /// <param name="table">The table, lines ended by line feeds.</param>
    public static void Check(string page, string begin, string end, string table)
    {
        string path = Path.Combine(Repository.Root, "docs", page);
        string text = File.ReadAllText(path).ReplaceLineEndings("\n");
        int from = text.IndexOf(begin, Ordinal) + begin.Length;
        int to = text.IndexOf(end, Ordinal);
        if (Environment.GetEnvironmentVariable(WriteVariable) == "1")
        {
            File.WriteAllText(path, text[..from] + table + text[to..]);
        }
        else
        {
            Assert.Equal(table, text[from..to]);
        }
    }
}
