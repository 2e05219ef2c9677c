using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Xml.Linq;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Structure;

/// <summary>
/// A test project refers only to projects whose types it uses: each reference is built whenever one of its tests is run.
/// </summary>
public sealed class ProjectReferenceTests
{
    private static readonly string s_output = Path.GetRelativePath(
        Path.Combine(Repository.Root, "tests", "CoAP.NET.Tests"), AppContext.BaseDirectory);

    public static TheoryData<string> Projects { get; } =
        [.. Repository.FilesIn(["tests", "simulation"], "*.csproj").Select(file => Path.GetRelativePath(Repository.Root, file))];

    [Theory]
    [MemberData(nameof(Projects))]
    public void A_test_project_uses_types_of_each_project_that_it_refers_to(string project)
    {
        string file = Path.Combine(Repository.Root, project);
        string assembly = Path.Combine(Path.GetDirectoryName(file)!, s_output, $"{Path.GetFileNameWithoutExtension(file)}.dll");

        // One project alone was built, for example.
        if (!File.Exists(assembly) || File.GetLastWriteTimeUtc(assembly) < File.GetLastWriteTimeUtc(file))
        {
            return;
        }

        // It compiles the code of the documentation against them.
        if (Path.GetFileNameWithoutExtension(project) == "CoAP.NET.Package.Tests")
        {
            return;
        }

        HashSet<string> used = ReferencesOf(assembly);
        Assert.DoesNotContain(ProjectsOf(file), reference => !used.Contains(reference));
    }

    // By the names of their assemblies. What is only built first, and analyzers, are no references of the assembly.
    private static IEnumerable<string> ProjectsOf(string file) =>
        from reference in XDocument.Load(file).Descendants("ProjectReference")
        where reference.Attribute("ReferenceOutputAssembly") is null && reference.Attribute("OutputItemType") is null
        let target = Path.Combine(Path.GetDirectoryName(file)!, reference.Attribute("Include")!.Value)
        select XDocument.Load(target).Descendants("AssemblyName").FirstOrDefault()?.Value ?? Path.GetFileNameWithoutExtension(target);

    private static HashSet<string> ReferencesOf(string assembly)
    {
        using PEReader file = new(File.OpenRead(assembly));
        MetadataReader metadata = file.GetMetadataReader();
        return [.. metadata.AssemblyReferences.Select(handle => metadata.GetString(metadata.GetAssemblyReference(handle).Name))];
    }
}
