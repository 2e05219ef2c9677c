using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace CoAP.NET.Mutations;

/// <summary>Draws mutations: a file by its number of lines, then a kind, then a place of that kind in the file.</summary>
internal sealed class Draw
{
    private readonly List<(string File, int Lines, List<Candidate> Places)> _files = [];
    private readonly Random _random;
    private int _drawn;

    /// <param name="root">The repository.</param>
    /// <param name="files">The paths of its files.</param>
    /// <param name="package">The only package to mutate; null for all.</param>
    /// <param name="seed">The seed; the same sources and the same seed give the same mutations.</param>
    public Draw(string root, IEnumerable<string> files, string? package, int seed)
    {
        _random = new Random(seed);
        foreach (string file in files.Where(file => IsHandWritten(file)
            && (package is null || file.Contains($"/{package}/", StringComparison.Ordinal))).Order(StringComparer.Ordinal))
        {
            string text = File.ReadAllText(Path.Combine(root, file));
            CompilationUnitSyntax parsed = CandidateFinder.Parse(text);
            List<Candidate> places = [.. CandidateFinder.Find(file, parsed)];
            Trees[file] = parsed;
            if (places.Count > 0)
            {
                _files.Add((file, text.AsSpan().Count('\n'), places));
            }
        }
    }

    /// <summary>The parsed files, by path.</summary>
    public Dictionary<string, CompilationUnitSyntax> Trees { get; } = [];

    /// <summary>Draws another mutation; no place is drawn twice.</summary>
    public Mutant Next()
    {
        while (true)
        {
            int line = _random.Next(_files.Sum(static file => file.Lines));
            int index = 0;
            while (line >= _files[index].Lines)
            {
                line -= _files[index++].Lines;
            }

            List<Candidate> places = _files[index].Places;
            MutationKind[] kinds = [.. places.Select(static place => place.Kind).Distinct().Order()];
            if (kinds.Length == 0)
            {
                continue;
            }

            MutationKind kind = kinds[_random.Next(kinds.Length)];
            Candidate[] ofKind = [.. places.Where(place => place.Kind == kind)];
            Candidate drawn = ofKind[_random.Next(ofKind.Length)];
            places.RemoveAll(place => place.Node == drawn.Node);
            return new Mutant(++_drawn, drawn);
        }
    }

    private static bool IsHandWritten(string file) => Workshop.IsShipped(file)
        && file.EndsWith(".cs", StringComparison.Ordinal) && !file.StartsWith("src/CoAP.NET.Templates/", StringComparison.Ordinal);
}
