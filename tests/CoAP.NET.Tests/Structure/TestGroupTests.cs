using System.Text.RegularExpressions;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Structure;

/// <summary>The second command of the README runs no test that needs more than the SDK, and CI runs each of the others.</summary>
public sealed partial class TestGroupTests
{
    public static TheoryData<string> Projects { get; } =
        [.. Repository.FilesIn(["tests", "simulation"], "*.Tests.csproj").Select(file => Path.GetRelativePath(Repository.Root, file))];

    [Theory]
    [MemberData(nameof(Projects))]
    public void A_project_names_the_group_External_if_it_has_tests_of_it(string project)
    {
        string file = Path.Combine(Repository.Root, project);
        bool has = Directory.EnumerateFiles(Path.GetDirectoryName(file)!, "*.cs", SearchOption.AllDirectories)
            .Any(source => ExternalAttribute().IsMatch(File.ReadAllText(source)));
        string groups = Groups().Match(File.ReadAllText(file)).Groups["groups"].Value;

        Assert.Equal(has, groups.Split(';').Contains("External"));
    }

    [GeneratedRegex(@"^\s*\[(?:assembly: )?External\b", RegexOptions.Multiline)]
    private static partial Regex ExternalAttribute();

    [GeneratedRegex("<TestGroups>(?<groups>[^<]*)</TestGroups>")]
    private static partial Regex Groups();
}
