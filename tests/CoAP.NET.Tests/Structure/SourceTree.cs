using System.Text.RegularExpressions;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Structure;

/// <summary>The source files of the repository, and the folder in which each type of the library lives.</summary>
internal static partial class SourceTree
{
    public const string Library = "CoAP.NET.Dataflow";

    public static string Root => Repository.Root;

    public static string Src => Path.Combine(Root, "src");

    /// <summary>All C# files below src, without what the build makes.</summary>
    public static IReadOnlyList<string> Files { get; } =
        [.. Directory.EnumerateFiles(Src, "*.cs", SearchOption.AllDirectories)
            .Where(file => !BuildFolder().IsMatch(Path.GetRelativePath(Src, file))).Order(StringComparer.Ordinal)];

    /// <summary>
    /// The top-level types of the library by full name, each with its first folder below the project; of no characters at the top.
    /// Items of the mesh, which every stage may know, have <c>Mesh/Items</c>.
    /// </summary>
    public static IReadOnlyDictionary<string, string> FolderOfType => s_types.Folders;

    /// <summary>The top-level types of each file of the library.</summary>
    public static IReadOnlyDictionary<string, List<string>> TypesOfFile => s_types.Files;

    /// <summary>Those of them that live in a folder Client of their chapter.</summary>
    public static IReadOnlySet<string> ClientTypes => s_types.Clients;

    /// <summary>Those of them that say which thread runs user code.</summary>
    public static IReadOnlySet<string> UserCodeTypes => s_types.UserCode;

    private static readonly Types s_types = ReadFolders();

    /// <summary>The lines of each top-level type below src, all parts of a partial one together, by project and name.</summary>
    public static IReadOnlyDictionary<string, int> LinesOfClass { get; } = CountLines();

    private static Dictionary<string, int> CountLines()
    {
        Dictionary<string, int> lines = [];
        foreach (string file in Files)
        {
            string text = File.ReadAllText(file);
            string relative = Path.GetRelativePath(Src, file);
            string project = relative[..relative.IndexOf(Path.DirectorySeparatorChar)];
            MatchCollection types = TypeLine().Matches(text);
            for (int i = 0; i < types.Count; i++)
            {
                // What stands above the first type, such as its comment, counts for it.
                int from = i == 0 ? 0 : types[i].Index;
                int to = i + 1 < types.Count ? types[i + 1].Index : text.Length;
                string name = $"{project}/{types[i].Groups["name"].Value}";
                lines[name] = lines.GetValueOrDefault(name) + text.AsSpan(from, to - from).Count('\n');
            }
        }

        return lines;
    }

    private static Types ReadFolders()
    {
        Dictionary<string, string> folders = [];
        HashSet<string> clientTypes = [];
        HashSet<string> userCodeTypes = [];
        Dictionary<string, List<string>> files = [];
        string project = Path.Combine(Src, Library);
        foreach (string file in Files.Where(file => file.StartsWith(project + Path.DirectorySeparatorChar, StringComparison.Ordinal)))
        {
            string text = File.ReadAllText(file);
            string space = NamespaceLine().Match(text).Groups["name"].Value;
            string relative = Path.GetRelativePath(project, file);
            string folder = relative.Contains(Path.DirectorySeparatorChar)
                ? relative[..relative.IndexOf(Path.DirectorySeparatorChar)]
                : string.Empty;
            folder = relative.StartsWith(Path.Combine("Mesh", "Items"), StringComparison.Ordinal) ? "Mesh/Items" : folder;
            foreach (Match match in TypeLine().Matches(text))
            {
                string name = match.Groups["name"].Value;
                int arity = match.Groups["parameters"].Success ? match.Groups["parameters"].Value.Count(c => c == ',') + 1 : 0;
                string fullName = $"{space}.{name}{(arity == 0 ? string.Empty : $"`{arity}")}";

                (files.TryGetValue(relative, out List<string>? names) ? names : files[relative] = []).Add(fullName);

                // Of a partial type the file that bears its name alone says where it lives.
                if (Path.GetFileNameWithoutExtension(file) == name || !folders.ContainsKey(fullName))
                {
                    folders[fullName] = folder;
                    switch (Path.GetFileName(Path.GetDirectoryName(file)))
                    {
                        case "Client":
                            clientTypes.Add(fullName);
                            break;
                        case "UserCode":
                            userCodeTypes.Add(fullName);
                            break;
                    }
                }
            }
        }

        return new Types(folders, clientTypes, userCodeTypes, files);
    }

    [GeneratedRegex(@"(^|[\\/])(bin|obj)[\\/]")]
    private static partial Regex BuildFolder();

    [GeneratedRegex(@"^namespace (?<name>[\w.]+);", RegexOptions.Multiline)]
    private static partial Regex NamespaceLine();

    [GeneratedRegex(
        @"^(?:[a-z]+ )*(?:class|struct|interface|enum|record(?: struct| class)?|delegate [\w<>\[\],?. ]+?) (?<name>\w+)(?:<(?<parameters>[^>]+)>)?", RegexOptions.Multiline)]
    private static partial Regex TypeLine();

    private sealed record Types(
        Dictionary<string, string> Folders, HashSet<string> Clients, HashSet<string> UserCode, Dictionary<string, List<string>> Files);
}
