using System.Globalization;

namespace CoAP.NET.Site.Prose;

/// <summary>Prints how easily the pages read.</summary>
internal static class ReadabilityCommand
{
    /// <summary>Prints a line for each page and one for all.</summary>
    /// <param name="pages">Pages, C# files, or folders of C# files, as paths from the root; all pages when empty.</param>
    public static int Run(string[] pages)
    {
        List<string> all = [];
        Console.WriteLine("| page | sentences | words a sentence | over 30 words | passive voice | hard patterns |");
        Console.WriteLine("|---|---|---|---|---|---|");
        foreach (string page in pages.Length > 0 ? pages : Repository.Pages())
        {
            string[] sentences = [.. SentencesOf(Path.Combine(Repository.Root, page))];
            Print(page, Readability.Of(sentences));
            all.AddRange(sentences);
        }

        Print("all", Readability.Of(all));
        return 0;
    }

    private static IEnumerable<string> SentencesOf(string path) => Directory.Exists(path)
        ? Directory.EnumerateFiles(path, "*.cs", SearchOption.AllDirectories)
            .Where(static file => !file.Contains("/obj/", StringComparison.Ordinal) && !file.Contains("/bin/", StringComparison.Ordinal))
            .Order(StringComparer.Ordinal)
            .SelectMany(static file => CSharpProse.Sentences(File.ReadAllText(file)))
        : path.EndsWith(".cs", StringComparison.Ordinal)
            ? CSharpProse.Sentences(File.ReadAllText(path))
            : MarkdownProse.Sentences(File.ReadAllText(path));

    private static void Print(string page, Readability value) => Console.WriteLine(string.Create(
        CultureInfo.InvariantCulture,
        $"| {page} | {value.Sentences} | {value.WordsPerSentence:F1} | {value.Long:P0} | {value.Passive:P0} | {value.Riddles} |"));
}
