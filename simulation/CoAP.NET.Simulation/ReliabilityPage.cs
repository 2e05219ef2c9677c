using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Simulation;

/// <summary>
/// docs/reliability.md: between <c>&lt;!-- begin NAME --&gt;</c> and <c>&lt;!-- end NAME --&gt;</c> stands what the campaign of that name
/// printed last.
/// </summary>
internal static class ReliabilityPage
{
    /// <summary>Puts a report in its place.</summary>
    /// <param name="name">The campaign's name.</param>
    /// <param name="command">The options it ran with.</param>
    /// <param name="body">What it printed.</param>
    /// <param name="date">The day it ran.</param>
    /// <exception cref="InvalidOperationException">The page has no such place.</exception>
    public static void Write(string name, string command, string body, DateTimeOffset date)
    {
        string path = Path.Combine(Repository.Root, "docs", "reliability.md");
        File.WriteAllText(path, Replace(File.ReadAllText(path), name, Head(name, command, date) + body.Trim() + "\n"));
    }

    /// <summary>Says when and how figures were made.</summary>
    /// <param name="name">The campaign's name.</param>
    /// <param name="command">The options it ran with.</param>
    /// <param name="date">The day.</param>
    /// <returns>A line of Markdown, and an empty one.</returns>
    public static string Head(string name, string command, DateTimeOffset date) =>
        $"{date:yyyy-MM-dd}, {Environment.ProcessorCount} processors, .NET {Environment.Version}: `dotnet run -c Release --project "
            + $"simulation/CoAP.NET.Simulation -- {string.Join(' ', name, command).Trim()}`\n\n";

    /// <summary>Puts text between the marks.</summary>
    /// <param name="page">The page.</param>
    /// <param name="name">The name in the marks.</param>
    /// <param name="text">What comes between them.</param>
    /// <returns>The page with it.</returns>
    /// <exception cref="InvalidOperationException">The page has no such marks.</exception>
    public static string Replace(string page, string name, string text)
    {
        string begin = $"<!-- begin {name} -->\n";
        int from = page.IndexOf(begin, StringComparison.Ordinal);
        int to = from < 0 ? -1 : page.IndexOf($"<!-- end {name} -->", from, StringComparison.Ordinal);
        return to < 0
            ? throw new InvalidOperationException(
                $"docs/reliability.md has no place for '{name}': write <!-- begin {name} --> and <!-- end {name} --> on lines of their own.")
            : page[..(from + begin.Length)] + text + page[to..];
    }
}
