using System.Reflection;
using System.Runtime.Loader;
using System.Xml.Linq;
using CoAP.NET.Build.Settings;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace CoAP.NET.Dtls.Tests.StateLearning;

/// <summary>A change of the source of CoAP.NET.Dtls that makes it insecure, compiled and loaded beside the library itself.</summary>
/// <param name="Name">What is wrong.</param>
/// <param name="Changes">The file, what it says, and what it says with the defect.</param>
internal sealed record PlantedDefect(string Name, IReadOnlyList<(string File, string Before, string After)> Changes)
{
    private const string Library = "CoAP.NET.Dtls";

    private static readonly CSharpParseOptions s_language = CSharpParseOptions.Default.WithLanguageVersion(LanguageVersion.Latest);

    private static readonly string s_source = Path.Combine(Repository.Root, "src", Library);

    // These see the types of the library.
    private static readonly string[] s_friends = ["CoAP.NET.Dtls.Tests", "CoAP.NET.TestKit", "CoAP.NET.BenchKit"];

    // The namespaces of all projects, and those of this one.
    private static readonly string s_beginning = string.Concat([
        """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Threading;
        global using System.Threading.Tasks;

        """,
        .. XDocument.Load(Path.Combine(s_source, $"{Library}.csproj")).Descendants("Using")
            .Select(static one => $"global using {one.Attribute("Include")!.Value};\n"),
        .. s_friends.Select(static friend => $"[assembly: System.Runtime.CompilerServices.InternalsVisibleTo(\"{friend}\")]\n")]);

    private static readonly Lazy<Dictionary<string, SyntaxTree>> s_trees = new(static () => Directory
        .GetFiles(s_source, "*.cs", SearchOption.AllDirectories)
        .Select(static file => Path.GetRelativePath(s_source, file).Replace('\\', '/'))
        .Where(static file => !file.StartsWith("bin/", Ordinal) && !file.StartsWith("obj/", Ordinal))
        .ToDictionary(static file => file, static file => Parse(file, File.ReadAllText(Path.Combine(s_source, file)))));

    /// <summary>Compares the machines of the library with this defect with those of the file.</summary>
    /// <returns>The first difference; null for none.</returns>
    public string? FindDifference()
    {
        DefectContext context = new(Compile());
        try
        {
            Type type = context.LoadFromAssemblyPath(typeof(PlantedDefect).Assembly.Location).GetType(typeof(PlantedDefect).FullName!)!;
            Func<string?> find = type.GetMethod(nameof(FindAnyDifference), BindingFlags.Static | BindingFlags.Public)!
                .CreateDelegate<Func<string?>>();
            return find();
        }
        finally
        {
            context.Unload();
        }
    }

    /// <summary>Compares the machines of the library that this copy of the tests sees.</summary>
    public static string? FindAnyDifference() =>
        LearnedMachine.Compared.Select(static one => one.FindDifference()).FirstOrDefault(static difference => difference is not null);

    public override string ToString() => Name;

    private static SyntaxTree Parse(string file, string text) => CSharpSyntaxTree.ParseText(text, s_language, file);

    private byte[] Compile()
    {
        Dictionary<string, SyntaxTree> trees = new(s_trees.Value);
        foreach ((string file, string before, string after) in Changes)
        {
            string text = trees[file].ToString();
            Assert.True(text.Split(before).Length == 2, $"{file} has no longer, and once, what the defect changes: {before}");
            trees[file] = Parse(file, text.Replace(before, after, Ordinal));
        }

        string[] references = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator);
        CSharpCompilation compilation = CSharpCompilation.Create(
            Library,
            [
                Parse("Beginning.cs", s_beginning),
                .. trees.Values.Select(static tree => tree.WithRootAndOptions(new BodyWriter().Visit(tree.GetRoot()), tree.Options)),
            ],
            references.Where(static path => Path.GetFileNameWithoutExtension(path) is not (Library or "CoAP.NET.Dtls.Tests"))
                .Select(static path => MetadataReference.CreateFromFile(path)),
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, optimizationLevel: OptimizationLevel.Release,
                allowUnsafe: true, nullableContextOptions: NullableContextOptions.Enable));
        CSharpGeneratorDriver.Create([new SettingsGenerator().AsSourceGenerator()], parseOptions: s_language)
            .RunGeneratorsAndUpdateCompilation(compilation, out Compilation whole, out _);
        using MemoryStream bytes = new();
        string[] errors = [.. whole.Emit(bytes).Diagnostics.Where(static one => one.Severity == DiagnosticSeverity.Error)
            .Select(static one => one.ToString())];
        Assert.Empty(errors);
        return bytes.ToArray();
    }

    // Loads the library with the defect, and copies of the tests and of what else sees its types.
    private sealed class DefectContext : AssemblyLoadContext
    {
        private readonly Assembly _library;

        public DefectContext(byte[] library)
            : base(isCollectible: true) => _library = LoadFromStream(new MemoryStream(library));

        protected override Assembly? Load(AssemblyName name) => name.Name == Library ? _library
            : s_friends.Contains(name.Name) ? LoadFromAssemblyPath(Path.Combine(AppContext.BaseDirectory, name.Name + ".dll"))
            : null;
    }

    // Gives partial methods, which generators of the build implement, a body that no machine reaches: logs and calls of C.
    private sealed class BodyWriter : CSharpSyntaxRewriter
    {
        private static readonly BlockSyntax s_body = (BlockSyntax)SyntaxFactory.ParseStatement("{ throw new NotSupportedException(); }");

        public override SyntaxNode? VisitMethodDeclaration(MethodDeclarationSyntax node) =>
            node.Body is null && node.ExpressionBody is null && node.Modifiers.Any(SyntaxKind.PartialKeyword)
                ? node.WithAttributeLists([]).WithSemicolonToken(default).WithBody(s_body)
                    .WithModifiers([.. node.Modifiers.Where(static one => !one.IsKind(SyntaxKind.PartialKeyword))])
                : node;
    }
}
