namespace CoAP.NET.Package.Tests.Guides;

/// <summary>
/// What a guide of <c>docs/guides</c> tells its reader to do. A line above a fence says what the fence is:
/// <list type="bullet">
/// <item><c>&lt;!-- setup --&gt;</c>: commands that make projects;</item>
/// <item><c>&lt;!-- file: PATH --&gt;</c>: a whole file;</item>
/// <item><c>&lt;!-- run --&gt;</c>: commands that end by themselves;</item>
/// <item><c>&lt;!-- run: NAME at ADDRESSES --&gt;</c>, and below it <c>&lt;!-- with: ARGUMENTS --&gt;</c>: a program that goes on. By these
/// arguments, which the guide explains, it listens at free ports. The addresses of the page stand for those that it prints;</item>
/// <item><c>&lt;!-- expect --&gt;</c> or <c>&lt;!-- expect: NAME --&gt;</c>: what the last commands, or the program of that name, print.
/// </item>
/// </list>
/// </summary>
internal sealed partial class GuidePage
{
    private GuidePage(string path)
    {
        Name = Path.GetFileNameWithoutExtension(path);
        string[] lines = File.ReadAllText(path).ReplaceLineEndings("\n").Split('\n');
        for (int i = 0; i + 1 < lines.Length; i++)
        {
            Match mark = Mark().Match(lines[i]);
            if (!mark.Success)
            {
                continue;
            }

            string arguments = "";
            for (; With().Match(lines[i + 1]) is { Success: true } with; i++)
            {
                arguments = $"{arguments} {with.Groups["arguments"].Value}";
            }

            int begin = i + 2;
            lines[begin - 1].Begins("```");
            int end = Array.FindIndex(lines, begin, line => line.StartsWith("```", Ordinal));
            string kind = mark.Groups["kind"].Value;
            Parts.Add(new Part(kind, mark.Groups["about"].Value, arguments, lines[begin..end], begin + 1));
            i = end;
        }
    }

    /// <summary>The name of the page.</summary>
    public string Name { get; }

    /// <summary>The marked fences in their order.</summary>
    public List<Part> Parts { get; } = [];

    /// <summary>The pages that make a project.</summary>
    public static IEnumerable<GuidePage> All() =>
        Directory.GetFiles(Path.Combine(Repository.Root, "docs", "guides"), "*.md").Order(StringComparer.Ordinal)
            .Select(path => new GuidePage(path))
            .Where(page => page.Parts.Count > 0);

    /// <summary>The marked fences of a kind.</summary>
    public IEnumerable<Part> Of(string kind) => Parts.Where(part => part.Kind == kind);

    /// <summary>Whether a file or command has a text.</summary>
    public bool Mentions(string text) =>
        Parts.Exists(part => part.Lines.Any(line => line.Contains(text)));

    [GeneratedRegex("^<!-- (?<kind>setup|file|run|expect)(: (?<about>.*))? -->$")]
    private static partial Regex Mark();

    [GeneratedRegex("^<!-- with: (?<arguments>.*) -->$")]
    private static partial Regex With();

    /// <summary>A marked fence.</summary>
    /// <param name="Kind">Its mark.</param>
    /// <param name="About">What follows the colon of the mark.</param>
    /// <param name="Arguments">What the marks below it say.</param>
    /// <param name="Lines">What stands between the fences.</param>
    /// <param name="Number">The line of the page where it begins.</param>
    internal sealed record Part(string Kind, string About, string Arguments, string[] Lines, int Number);
}
