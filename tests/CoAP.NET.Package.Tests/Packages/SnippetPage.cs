using System.Net;

namespace CoAP.NET.Package.Tests.Packages;

/// <summary>
/// The C# snippets of a page, as a file that compiles. Errors are told by the lines of the page. The page names the namespaces of the
/// library that its snippets need, in a line <c>Namespaces: `CoAP.NET`, `CoAP.NET.Dtls`.</c> or as <c>`using CoAP.NET;`</c> in its text. Or
/// the examples of a type in its comment, which need its namespace.
/// </summary>
internal sealed partial class SnippetPage
{
    private const string Fence = "```";
    private const string FragmentMark = "<!-- fragment -->";
    private const string ExampleMark = "/// <example>";

    // Guides: a whole file, which is built with its project (GuideTests), and code of another library.
    private static readonly string[] s_elsewhere = ["<!-- file: ", "<!-- before -->"];

    private readonly List<string> _usings = [];
    private readonly StringBuilder _types = new();
    private readonly StringBuilder _methods = new();
    private readonly string _file;
    private int _snippets;

    private SnippetPage(string path)
    {
        _file = Path.GetRelativePath(Repository.Root, path).Replace('\\', '/');
        string name = Path.GetFileNameWithoutExtension(path);
        string folder = Path.GetFileName(Path.GetDirectoryName(_file)!);
        Name = NotOfName().Replace(folder is "guides" ? $"guides_{name}" : folder is "" or "docs" ? name : $"package_{folder}", "_");
        string[] lines = File.ReadAllText(path).ReplaceLineEndings("\n").Split('\n');
        bool areNamespaces = false;
        for (int i = 0; i < lines.Length; i++)
        {
            areNamespaces = lines[i].Length > 0 && (areNamespaces || NamespacesLine().IsMatch(lines[i]));
            if (!lines[i].StartsWith(Fence + "csharp", Ordinal))
            {
                _usings.AddRange((areNamespaces ? NamedNamespace() : NamedUsing()).Matches(lines[i])
                    .Select(match => $"using {match.Groups["name"].Value};"));
                continue;
            }

            int end = Array.FindIndex(lines, i + 1, line => line.StartsWith(Fence, Ordinal));
            if (i > 0 && s_elsewhere.Any(mark => lines[i - 1].StartsWith(mark, Ordinal)))
            {
                // Not of this test.
            }
            else if (i > 0 && lines[i - 1] == FragmentMark)
            {
                Fragments++;
            }
            else
            {
                Add([.. Enumerable.Range(i + 1, end - i - 1).Select(index => new Line(index + 1, lines[index]))]);
            }

            i = end;
        }
    }

    private SnippetPage(string source, string[] lines)
    {
        _file = Path.GetRelativePath(Repository.Root, source).Replace('\\', '/');
        Name = $"example_{Path.GetFileNameWithoutExtension(source)}";
        _usings.AddRange(lines.Select(static line => NamespaceOfFile().Match(line)).Where(static match => match.Success)
            .Select(static match => $"using {match.Groups["name"].Value};").Prepend("using CoAP.NET;"));
        for (int i = Array.IndexOf(lines, ExampleMark); i >= 0; i = Array.IndexOf(lines, ExampleMark, i))
        {
            // After the line <code>.
            int begin = i + 2;
            i = Array.IndexOf(lines, "/// </code>", begin);
            Add([.. Enumerable.Range(begin, i - begin).Select(index =>
                new Line(index + 1, WebUtility.HtmlDecode(lines[index].Length > 4 ? lines[index][4..] : "")))]);
        }
    }

    /// <summary>The name of the page as a namespace.</summary>
    public string Name { get; }

    /// <summary>How many snippets are marked as parts of something larger.</summary>
    public int Fragments { get; private set; }

    /// <summary>The pages of the repository that have snippets.</summary>
    public static IEnumerable<SnippetPage> All() =>
        Directory.GetFiles(Path.Combine(Repository.Root, "docs"), "*.md")
            .Concat(Directory.GetFiles(Path.Combine(Repository.Root, "docs", "guides"), "*.md"))
            .Concat(Repository.ShippedFiles("*.csproj")
                .Select(static project => Path.Combine(Path.GetDirectoryName(project)!, "README.md")).Where(File.Exists))
            .Order(StringComparer.Ordinal)
            .Prepend(Path.Combine(Repository.Root, "README.md"))
            .Select(path => new SnippetPage(path))
            .Where(page => page._snippets > 0);

    /// <summary>The types of the libraries with examples in their comments.</summary>
    public static IEnumerable<SnippetPage> Examples() =>
        Repository.ShippedFiles("*.cs")
            .Select(static file => (File: file, Lines: File.ReadAllText(file).ReplaceLineEndings("\n").Split('\n')))
            .Where(static source => source.Lines.Contains(ExampleMark))
            .Select(static source => new SnippetPage(source.File, source.Lines));

    /// <summary>
    /// The file: types of the page in its namespace, statements in methods of a class that has what the page takes for granted.
    /// </summary>
    public string ToCode() => $$"""
        {{string.Join('\n', _usings.Distinct())}}
        namespace Docs.{{Name}}
        {
        {{_types}}
            public sealed partial class Page : Context
            {
        {{_methods}}
            }
        }
        """;

    private void Add(List<Line> lines)
    {
        _snippets++;
        List<Line> types = [];
        List<Line> statements = [];
        for (int i = 0; i < lines.Count; i++)
        {
            if (UsingLine().IsMatch(lines[i].Text))
            {
                _usings.Add(lines[i].Text);
            }
            else if (TypeLine().IsMatch(lines[i].Text))
            {
                int end = lines.FindIndex(i, line => EndOfType().IsMatch(line.Text));
                end = end < 0 ? lines.Count - 1 : end;
                types.AddRange(lines[i..(end + 1)]);
                i = end;
            }
            else
            {
                statements.Add(lines[i]);
            }
        }

        Write(_types, types);
        if (statements.Exists(line => line.Text.Trim().Length > 0))
        {
            _methods.Append(CultureInfo.InvariantCulture, $"public async Task Snippet{_snippets}()\n{{\nawait Task.CompletedTask;\n");
            Write(_methods, statements);
            _methods.Append("}\n");
        }
    }

    private void Write(StringBuilder code, List<Line> lines)
    {
        int before = -1;
        foreach (Line line in lines)
        {
            if (line.Number != before + 1)
            {
                code.Append(CultureInfo.InvariantCulture, $"#line {line.Number} \"{_file}\"\n");
            }

            code.Append(line.Text).Append('\n');
            before = line.Number;
        }

        code.Append("#line default\n");
    }

    [GeneratedRegex(@"^namespace (?<name>[\w.]+);$")]
    private static partial Regex NamespaceOfFile();

    [GeneratedRegex("^Namespaces?: ")]
    private static partial Regex NamespacesLine();

    [GeneratedRegex(@"`(?<name>CoAP\.NET[\w.]*)`")]
    private static partial Regex NamedNamespace();

    [GeneratedRegex(@"`using (?<name>CoAP\.NET[\w.]*);`")]
    private static partial Regex NamedUsing();

    [GeneratedRegex(@"\W")]
    private static partial Regex NotOfName();

    [GeneratedRegex(@"^using\s+(static\s+)?[\w.]+(\s*=\s*[\w.<>]+)?;\s*$")]
    private static partial Regex UsingLine();

    // At the beginning of the line, as it is nowhere inside of a method.
    [GeneratedRegex(
        @"^(\[|((public|internal|private|protected|static|sealed|abstract|partial|readonly|file|ref|unsafe)\s+)*(class|record|struct|interface|enum|delegate)\s)")]
    private static partial Regex TypeLine();

    [GeneratedRegex(@"^(\}|[^\s\[].*;\s*$)")]
    private static partial Regex EndOfType();

    private sealed record Line(int Number, string Text);
}
