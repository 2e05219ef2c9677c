using CoAP.NET.Bench;
using CoAP.NET.Simulation;

namespace CoAP.NET.Reliability.Tests;

/// <summary>The command line of the campaigns, and the head of their reports.</summary>
public sealed class CampaignOptionsTests
{
    [Fact]
    public void Campaign_options_are_parsed_from_the_command_line()
    {
        CampaignOptions options = CampaignOptions.Parse(["--seed", "7", "--seeds", "500", "--budget", "2.5m", "--executions", "100,000,000",
            "--only", "uri", "--plant", "lost", "--verbose", "--write", "report.md"]);
        CampaignOptions expected = new()
        {
            Seed = 7,
            Seeds = 500,
            Budget = TimeSpan.FromSeconds(150),
            Executions = 100_000_000,
            Only = "uri",
            Plant = "lost",
            Verbose = true,
            Write = "report.md"
        };
        Assert.Equal(expected, options);
        Assert.Equal(new CampaignOptions { Seed = 1 }, CampaignOptions.Parse([]));
    }

    [Theory]
    [InlineData("--seed", "x")]
    [InlineData("--budget", "10")]
    [InlineData("--budget", "h")]
    [InlineData("--seeds")]
    [InlineData("--write")]
    [InlineData("--what")]
    [InlineData("word")]
    public void Unparsable_campaign_options_are_refused(params string[] args) =>
        Assert.Throws<ArgumentException>(() => CampaignOptions.Parse(args));

    [Fact]
    public void The_head_of_a_report_has_its_date_and_command() => Assert.Equal(
        $"2026-11-28, {Environment.ProcessorCount} processors, .NET {Environment.Version}: `dotnet run -c Release --project "
            + "simulation/CoAP.NET.Simulation -- fuzz --budget 1h`",
        ReportHead.Of("simulation/CoAP.NET.Simulation", ["fuzz", "--budget", "1h"],
            new DateTimeOffset(2026, 11, 28, 9, 0, 0, TimeSpan.Zero)));
}
