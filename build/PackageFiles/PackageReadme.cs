using System.Text.RegularExpressions;

namespace CoAP.NET.Build;

/// <summary>
/// The page that a gallery shows. Relative links and pictures do not work there: where the repository has an address they become absolute,
/// otherwise a link becomes text that names the page, a picture is left out, and a last line says where the pages are.
/// </summary>
internal static partial class PackageReadme
{
    private const string Pages =
        "\n\nThe pages (*.md) that this text names are part of the repository of the project, most of them in its folder docs.";

    /// <summary>Writes the page of a package.</summary>
    /// <param name="page">The page of the repository.</param>
    /// <param name="output">The page of the package; is left as it is if it would not change.</param>
    /// <param name="folder">The folder that the links of the page are relative to, with its last slash; empty for the root.</param>
    /// <param name="repository">The address of the repository; empty if it has none.</param>
    public static void Write(string page, string output, string folder, string repository)
    {
        string text = RepositoryOnly().Replace(File.ReadAllText(page), "");
        text = repository.Length == 0
            ? OtherLink().Replace(PageLink().Replace(Picture().Replace(text, ""), "$1"), "$1 ($2)").TrimEnd() + Pages
            : Link().Replace(Picture().Replace(text, $"![$1]({repository}/raw/main/{folder}$2)"), $"]({repository}/blob/main/{folder}$1)");
        text += "\n";
        if (!File.Exists(output) || File.ReadAllText(output) != text)
        {
            File.WriteAllText(output, text);
        }
    }

    // Parts for readers of a clone.
    [GeneratedRegex(@"<!-- repository only -->.*?<!-- end of repository only -->\s*", RegexOptions.Singleline)]
    private static partial Regex RepositoryOnly();

    [GeneratedRegex(@"!\[([^\]\[]*)\]\((?!\w+:)([^)\s]+)\)")]
    private static partial Regex Picture();

    // The text names the page itself.
    [GeneratedRegex(@"\[([^\]\[]*?([\w.-]+\.md))\]\((?!\w+:)[^)\s]*?\2(?:#[^)\s]*)?\)")]
    private static partial Regex PageLink();

    [GeneratedRegex(@"\[([^\]\[]+)\]\((?!\w+:|#)(?:\.\./)*([^)#\s]+)(?:#[^)\s]*)?\)")]
    private static partial Regex OtherLink();

    [GeneratedRegex(@"\]\((?!\w+:|#)([^)\s]+)\)")]
    private static partial Regex Link();
}
