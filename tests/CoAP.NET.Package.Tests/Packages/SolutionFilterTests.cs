using System.Text.Json;
using System.Xml.Linq;

namespace CoAP.NET.Package.Tests.Packages;

/// <summary>CoAP.NET.slnf, which users and CI make the packages of: what is packed and what that needs, and nothing else.</summary>
public sealed class SolutionFilterTests
{
    // What Directory.Build.targets adds to packages.
    private static readonly string[] s_ofAll =
        ["src/CoAP.NET.Generators/CoAP.NET.Generators.csproj", "build/PackageFiles/PackageFiles.csproj",
            "build/SettingsGenerator/SettingsGenerator.csproj"];

    [Fact]
    public void The_solution_filter_has_the_packable_projects_and_what_they_need()
    {
        string[] packable =
        [
            .. Repository.ShippedFiles("*.csproj")
                .Where(static file => XDocument.Load(file).Descendants("IsPackable").Any(static value => value.Value == "true"))
                .Select(static file => Path.GetRelativePath(Repository.Root, file).Replace('\\', '/')),
        ];
        using JsonDocument filter = JsonDocument.Parse(File.ReadAllText(Path.Combine(Repository.Root, "CoAP.NET.slnf")));
        JsonElement solution = filter.RootElement.GetProperty("solution");
        string[] listed =
            [.. solution.GetProperty("projects").EnumerateArray().Select(static one => one.GetString()!.Replace('\\', '/'))];

        Assert.True(packable.Length > 20);
        Assert.Equal("CoAP.NET.sln", solution.GetProperty("path").GetString());
        Assert.Equal(Closure([.. packable, .. s_ofAll]).Order(StringComparer.Ordinal), listed.Order(StringComparer.Ordinal));
    }

    private static HashSet<string> Closure(string[] projects)
    {
        HashSet<string> all = [];
        Stack<string> left = new(projects);
        while (left.TryPop(out string? project))
        {
            if (all.Add(project))
            {
                string path = Path.Combine(Repository.Root, project);
                foreach (string reference in XDocument.Load(path).Descendants("ProjectReference")
                    .Select(static one => (string)one.Attribute("Include")!))
                {
                    left.Push(Path.GetRelativePath(Repository.Root, Path.GetFullPath(reference, Path.GetDirectoryName(path)!))
                        .Replace('\\', '/'));
                }
            }
        }

        return all;
    }
}
