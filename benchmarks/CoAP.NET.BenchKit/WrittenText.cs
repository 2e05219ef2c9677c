namespace CoAP.NET.Bench;

/// <summary>Where tables go that were asked to be written.</summary>
internal static class WrittenText
{
    /// <summary>
    /// Writes a text to a file. In one with the lines <c>&lt;!-- begin NAME --&gt;</c> and <c>&lt;!-- end NAME --&gt;</c> it takes the
    /// place of what stands between them, and the rest stays.
    /// </summary>
    /// <param name="path">The file.</param>
    /// <param name="name">What the place for it is called.</param>
    /// <param name="text">The text.</param>
    /// <exception cref="InvalidOperationException">The place has no end.</exception>
    public static void Write(string path, string name, string text)
    {
        string old = File.Exists(path) ? File.ReadAllText(path) : "";
        string begin = $"<!-- begin {name} -->\n";
        string end = $"<!-- end {name} -->\n";
        int start = old.IndexOf(begin, StringComparison.Ordinal);
        if (start < 0)
        {
            File.WriteAllText(path, text);
            return;
        }

        start += begin.Length;
        int stop = old.IndexOf(end, start, StringComparison.Ordinal);
        File.WriteAllText(path,
            stop < 0
                ? throw new InvalidOperationException($"{path} has a line '{begin.Trim()}' and no '{end.Trim()}'.")
                : $"{old[..start]}\n{text.Trim()}\n\n{old[stop..]}");
    }
}
