using System.Text.RegularExpressions;
using CoAP.NET.Site.Pages;

namespace CoAP.NET.Site.Tests.Pages;

/// <summary>The first page of the site.</summary>
public sealed partial class HomePageTests
{
    [Fact]
    public void Figures_stand_on_the_page_that_they_link_to()
    {
        SitePages pages = new(Repository.Root);
        string home = File.ReadAllText(Path.Combine(Repository.Root, "site", "home.md"));
        MatchCollection features = Feature().Matches(home);
        Assert.Equal(6, features.Count);
        Assert.All(features.AsEnumerable(), feature =>
        {
            string source = pages.Sources.Single(source => $"/{pages.PlaceOf(source)}" == $"/{feature.Groups["page"].Value}.md");
            string text = pages.Read(source);
            Assert.All(
                Figure().Matches(feature.Groups["details"].Value),
                figure => Assert.Contains(figure.Value, text, StringComparison.Ordinal));
        });
    }

    [Fact]
    public void The_lock_of_packages_names_no_registry()
    {
        string site = Path.Combine(Repository.Root, "site");
        Assert.DoesNotContain("resolved", File.ReadAllText(Path.Combine(site, "package-lock.json")), StringComparison.Ordinal);
        Assert.DoesNotMatch(@"""[\^~*]", File.ReadAllText(Path.Combine(site, "package.json")));
    }

    [GeneratedRegex(@"details: ""(?<details>[^""]*)""\n    link: /(?<page>[\w-]+)")]
    private static partial Regex Feature();

    [GeneratedRegex(@"\d[\d,.]*\d|\d")]
    private static partial Regex Figure();
}
