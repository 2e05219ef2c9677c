using System.Reflection;
using System.Text.RegularExpressions;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Structure;

/// <summary>The source files of the repository, and the folder in which each type of the library lives.</summary>
internal static partial class SourceTree
{
    /// <summary>The projects of the library that have chapters, from below.</summary>
    public static IReadOnlyList<string> Libraries { get; } = ["CoAP.NET.Messages", "CoAP.NET.Dataflow"];

    /// <summary>The assemblies of <see cref="Libraries"/>.</summary>
    public static IReadOnlyList<Assembly> Assemblies { get; } = [typeof(CoapMessage).Assembly, typeof(CoapServer).Assembly];

    public static string Root => Repository.Root;

    public static string Src => Path.Combine(Root, "src");

    /// <summary>All C# files of what ships.</summary>
    public static IReadOnlyList<string> Files { get; } = [.. Repository.ShippedFiles("*.cs")];

    /// <summary>
    /// The top-level types of the library by full name, each with its folder below the project; of no characters at the top.
    /// </summary>
    public static IReadOnlyDictionary<string, string> FolderOfType { get; } = ReadFolders();

    private static Dictionary<string, string> ReadFolders()
    {
        Dictionary<string, string> folders = [];
        foreach (string project in Libraries.Select(static library => Path.Combine(Src, library)))
        {
            ReadFolders(project, folders);
        }

        return folders;
    }

    private static void ReadFolders(string project, Dictionary<string, string> folders)
    {
        foreach (string file in Files.Where(file => file.StartsWith(project + Path.DirectorySeparatorChar, Ordinal)))
        {
            string text = File.ReadAllText(file);
            string space = NamespaceLine().Match(text).Groups["name"].Value;
            string relative = Path.GetRelativePath(project, file);
            string folder = Path.GetDirectoryName(relative)!.Replace(Path.DirectorySeparatorChar, '/');
            foreach (Match match in TypeLine().Matches(text))
            {
                string name = match.Groups["name"].Value;
                int arity = match.Groups["parameters"].Success ? match.Groups["parameters"].Value.Count(c => c == ',') + 1 : 0;
                string fullName = $"{space}.{name}{(arity == 0 ? string.Empty : $"`{arity}")}";

                // Of a partial type the file that bears its name alone says where it lives.
                if (Path.GetFileNameWithoutExtension(file) == name || !folders.ContainsKey(fullName))
                {
                    folders[fullName] = folder;
                }
            }
        }
    }

    [GeneratedRegex(@"^namespace (?<name>[\w.]+);", RegexOptions.Multiline)]
    private static partial Regex NamespaceLine();

    [GeneratedRegex(
        @"^(?:[a-z]+ )*(?:class|struct|interface|enum|record(?: struct| class)?|delegate [\w<>\[\],?. ]+?) (?<name>\w+)(?:<(?<parameters>[^>]+)>)?", RegexOptions.Multiline)]
    private static partial Regex TypeLine();
}
