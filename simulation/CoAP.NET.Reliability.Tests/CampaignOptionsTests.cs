using CoAP.NET.Simulation;

namespace CoAP.NET.Reliability.Tests;

/// <summary>The command line of the campaigns, and the page they write.</summary>
public sealed class CampaignOptionsTests
{
    [Fact]
    public void Options_are_read()
    {
        CampaignOptions options = CampaignOptions.Parse(["--seed", "7", "--seeds", "500", "--budget", "2.5m", "--executions", "100,000,000",
            "--only", "uri", "--plant", "lost", "--verbose", "--write"]);
        CampaignOptions expected = new()
        {
            Seed = 7,
            Seeds = 500,
            Budget = TimeSpan.FromSeconds(150),
            Executions = 100_000_000,
            Only = "uri",
            Plant = "lost",
            Verbose = true,
            Write = true
        };
        Assert.Equal(expected, options);
        Assert.Equal(new CampaignOptions { Seed = 1 }, CampaignOptions.Parse([]));
    }

    [Theory]
    [InlineData("--seed", "x")]
    [InlineData("--budget", "10")]
    [InlineData("--budget", "h")]
    [InlineData("--seeds")]
    [InlineData("--what")]
    [InlineData("word")]
    public void What_cannot_be_read_is_refused(params string[] args) => Assert.Throws<ArgumentException>(() => CampaignOptions.Parse(args));

    [Fact]
    public void A_report_replaces_the_one_before_and_nothing_else()
    {
        const string Page = "# Page\n<!-- begin a -->\nold\n<!-- end a -->\n<!-- begin b -->\n<!-- end b -->\n";
        Assert.Equal("# Page\n<!-- begin a -->\nnew\n<!-- end a -->\n<!-- begin b -->\n<!-- end b -->\n",
            ReliabilityPage.Replace(Page, "a", "new\n"));
        Assert.Throws<InvalidOperationException>(() => ReliabilityPage.Replace(Page, "c", "new\n"));
    }
}
