using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace CoAP.NET.Mutations;

/// <summary>A copy of the repository with all mutations behind switches.</summary>
/// <param name="root">The repository.</param>
/// <param name="folder">The folder of the copy.</param>
/// <param name="files">The paths of the files.</param>
/// <param name="package">The only package whose tests run; null for all.</param>
internal sealed partial class Workshop(string root, string folder, string[] files, string? package)
{
    private const string Core = "CoAP.NET.Dataflow";
    private const string Messages = "CoAP.NET.Messages";
    private const string Project = ".Tests.csproj";
    private const string Targets = "Directory.Build.targets";

    // These build packages and pages, or need other implementations: they are slow, and hold other promises.
    private static readonly string[] s_others = ["CoAP.NET.Package.Tests", "CoAP.NET.Interop.Tests"];

    /// <summary>The names of the test projects.</summary>
    public string[] Projects { get; } = [.. files
        .Where(static file => file.StartsWith("tests/", StringComparison.Ordinal) && file.EndsWith(Project, StringComparison.Ordinal))
        .Select(static file => Path.GetFileNameWithoutExtension(file)).Except(s_others).Order(StringComparer.Ordinal)
        .Where(project => package is null || project == package + ".Tests"
            || (package is Core or Messages && project is "CoAP.NET.Tests")
            || (package == Core && project is "CoAP.NET.Combined.Tests"))];

    /// <summary>Returns the program of a test project, without the extension that it has on some systems.</summary>
    public string ProgramOf(string project) => Path.Combine(folder, "tests", project, "bin", "Release", "net10.0", project);

    /// <summary>Returns the time of the newest part of the program.</summary>
    public DateTime BuiltAt(string project) =>
        Directory.GetFiles(Path.GetDirectoryName(ProgramOf(project))!, "CoAP.NET.*.dll").Max(File.GetLastWriteTimeUtc);

    /// <summary>Returns the file that says which test classes of a project reach which mutations.</summary>
    public string RecordOf(string project) => Path.Combine(folder, project + ".reached");

    /// <summary>Returns whether a file belongs to what ships: a library, a tool, or the benchmarks that users derive theirs from.</summary>
    public static bool IsShipped(string file) =>
        file.StartsWith("src/", StringComparison.Ordinal) || file.StartsWith("tools/", StringComparison.Ordinal)
        || file.StartsWith("benchmarks/CoAP.NET.SerializerMatrix/", StringComparison.Ordinal);

    /// <summary>Copies the repository.</summary>
    public void Copy()
    {
        foreach (string file in files.Where(file => file != Targets && !IsShipped(file)))
        {
            Write(file, File.ReadAllBytes(Path.Combine(root, file)));
        }

        foreach (string injected in Directory.GetFiles(Path.Combine(AppContext.BaseDirectory, "Injected")))
        {
            Write(Path.GetFileName(injected), File.ReadAllBytes(injected));
        }

        string targets = File.ReadAllText(Path.Combine(root, Targets)).Replace("</Project>", """
              <ItemGroup>
                <Compile Include="$(MSBuildThisFileDirectory)CoapMutant.cs" LinkBase="Injected" />
              </ItemGroup>
              <ItemGroup Condition="$(MSBuildProjectName.EndsWith('.Tests'))">
                <Compile Include="$(MSBuildThisFileDirectory)CoapMutantRecorder.cs" LinkBase="Injected" />
              </ItemGroup>
            </Project>
            """, StringComparison.Ordinal);
        Write(Targets, Encoding.UTF8.GetBytes(targets));
        Write("Mutations.slnf", JsonSerializer.SerializeToUtf8Bytes(new
        {
            solution = new { path = "CoAP.NET.sln", projects = Projects.Select(static name => $@"tests\{name}\{name}.csproj") },
        }));
    }

    /// <summary>Writes the mutations into the copy and builds it. Draws another one for each that does not compile.</summary>
    public async Task<List<Mutant>> BuildAsync(Draw draw, int count)
    {
        List<Mutant> mutants = [.. Enumerable.Range(0, count).Select(_ => draw.Next())];
        while (true)
        {
            ILookup<string, Mutant> mutated = mutants.ToLookup(static mutant => mutant.Place.File);
            foreach (string file in files.Where(IsShipped))
            {
                Write(file, mutated.Contains(file)
                    ? Mutated(draw.Trees[file], [.. mutated[file]])
                    : File.ReadAllBytes(Path.Combine(root, file)));
            }

            List<string> lines = [];
            using ChildProcess build = new("dotnet", folder, "build", "Mutations.slnf", "-c", "Release", "-nologo", "-clp:ErrorsOnly",
                "-p:RunAnalyzers=false", "-p:TreatWarningsAsErrors=false", "-p:EnforceCodeStyleInBuild=false");
            if (await build.RunAsync(lines.Add, Timeout.InfiniteTimeSpan) == 0)
            {
                return mutants;
            }

            HashSet<int> guilty = [.. lines.Select(static line => ErrorLine().Match(line)).Where(static match => match.Success)
                .SelectMany(match => Guilty(match.Groups["file"].Value, int.Parse(match.Groups["line"].ValueSpan)))];
            if (guilty.Count == 0)
            {
                throw new InvalidOperationException("The copy does not build:\n" + string.Join('\n', lines.Distinct()));
            }

            foreach (Mutant mutant in mutants.Where(mutant => guilty.Contains(mutant.Id)).ToArray())
            {
                Console.Error.WriteLine($"{mutant.Place.File}:{mutant.Place.Line} does not compile: {mutant.Place.Change}");
                mutants.Remove(mutant);
                mutants.Add(draw.Next());
            }
        }
    }

    private static byte[] Mutated(CompilationUnitSyntax tree, Mutant[] mutants)
    {
        Dictionary<SyntaxNode, Mutant> places = mutants.ToDictionary(static mutant => mutant.Place.Node);
        CompilationUnitSyntax changed = tree.ReplaceNodes(places.Keys, (before, now) => places[before].Place.Switch(
            now, SyntaxFactory.ParseExpression($"global::CoapMutant.Is({places[before].Id})")));
        return Encoding.UTF8.GetBytes(changed.ToFullString());
    }

    // The build compares times: a file that is the same stays as it is, so that a kept copy is not built again.
    private void Write(string file, byte[] content)
    {
        string path = Path.Combine(folder, file);
        if (!File.Exists(path) || !File.ReadAllBytes(path).AsSpan().SequenceEqual(content))
        {
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            File.WriteAllBytes(path, content);
        }
    }

    // The compiler may report the error at another line of the member, for example where a variable has no value.
    private static IEnumerable<int> Guilty(string file, int line)
    {
        CompilationUnitSyntax tree = CandidateFinder.Parse(File.ReadAllText(file));
        SyntaxNode at = tree.FindNode(tree.GetText().Lines[line - 1].Span, getInnermostNodeForTie: true);
        MemberDeclarationSyntax? member = at.FirstAncestorOrSelf<MemberDeclarationSyntax>();
        string[] texts = [at.ToString(), member?.ToString() ?? "", tree.ToString()];
        MatchCollection? calls = texts.Select(static text => SwitchCall().Matches(text)).FirstOrDefault(static calls => calls.Count > 0);
        return calls?.Select(static call => int.Parse(call.Groups[1].ValueSpan)) ?? [];
    }

    [GeneratedRegex(@"^\s*(?<file>[^(]+\.cs)\((?<line>\d+),\d+\): error ")]
    private static partial Regex ErrorLine();

    [GeneratedRegex(@"CoapMutant\.Is\((\d+)\)")]
    private static partial Regex SwitchCall();
}
