using CoAP.NET.Package.Tests.Packages;

namespace CoAP.NET.Package.Tests.Guides;

/// <summary>
/// The guides of <c>docs/guides</c>, done as a reader does them who has the packages, .NET and the tool. <see cref="GuidePage"/> says how
/// a page marks its files, commands and outputs.
/// </summary>
[Collection(PackedFeedCollection.Name)]
[External("dotnet")]
public sealed class GuideTests(GuideProjects projects) : IClassFixture<GuideProjects>
{
    public static TheoryData<string> Guides { get; } = [.. GuidePage.All().Select(page => page.Name)];

    [Theory]
    [MemberData(nameof(Guides))]
    public Task The_steps_of_a_guide_give_the_output_that_the_guide_shows(string guide) => projects.RunOf(guide);
}
