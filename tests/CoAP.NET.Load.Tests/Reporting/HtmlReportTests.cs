using System.Xml.Linq;
using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Reporting;

namespace CoAP.NET.Load.Tests;

/// <summary>The report as a web page: its plots, its tables and its escaping.</summary>
public sealed class HtmlReportTests
{
    private static readonly LoadReport s_levels = Reports.Of(Reports.Run(10, 20_000, 90), Reports.Run(100, 90_000, 700),
        Reports.Run(1000, 85_000, 9_000), Reports.Run(10_000, 60_000, 150_000));

    [Fact]
    public void Runs_at_several_levels_are_shown_in_all_plots()
    {
        string[] titles = Reports.Titles(Reports.Parse(s_levels));
        Assert.Equal(["Throughput by peers", "Times by peers", "Distribution of times", "Rate, 10 peers", "Times of each second, 10 peers"],
            titles[..5]);
        Assert.Equal(3 + (2 * 4), titles.Length);
    }

    [Fact]
    public void All_points_are_inside_their_frames()
    {
        LoadResult stalled = Reports.Run(1, 5, 3_000_000) with
        {
            Series = [new(1, 0, 0, 0), new(2, 3, 0, 5), new(3.5, double.NaN, double.PositiveInfinity, 1e9)]
        };
        XElement[] plots =
            Reports.Plots(Reports.Parse(s_levels with { Runs = [.. s_levels.Runs, stalled, Reports.Run(500, 10, 1, LoadPacing.Observe)] }));
        Assert.NotEmpty(plots);
        Assert.All(plots, plot =>
        {
            XElement frame = plot.Elements(Reports.Svg + "rect").Single();
            (double left, double top) = (Reports.Number(frame, "x"), Reports.Number(frame, "y"));
            (double right, double bottom) = (left + Reports.Number(frame, "width"), top + Reports.Number(frame, "height"));
            Assert.NotEmpty(Reports.Points(plot));
            Assert.All(Reports.Points(plot), point =>
            {
                Assert.InRange(point.X, left, right);
                Assert.InRange(point.Y, top, bottom);
            });
        });
    }

    [Fact]
    public void The_plots_show_the_measured_values()
    {
        XElement plot = Reports.Plots(Reports.Parse(s_levels))[0];
        XElement frame = plot.Elements(Reports.Svg + "rect").Single();
        double bottom = Reports.Number(frame, "y") + Reports.Number(frame, "height");
        (double X, double Y)[] points = [.. Reports.Points(plot).Take(4)];

        // The axis ends at 100,000; equal factors of peers are equal distances.
        double[] heights = [.. points.Select(point => Math.Round((bottom - point.Y) / Reports.Number(frame, "height"), 2))];
        Assert.Equal([0.2, 0.9, 0.85, 0.6], heights);
        Assert.Equal(points[1].X - points[0].X, points[3].X - points[2].X, tolerance: 0.1);
        Assert.True(points[0].X < points[1].X);
        Assert.Contains(plot.Descendants(Reports.Svg + "title"), title => title.Value.EndsWith(": 10, 20k", Ordinal));
    }

    [Fact]
    public void Distributions_rise_from_zero_to_one()
    {
        XElement plot = Reports.Plots(Reports.Parse(s_levels))[2];
        XElement frame = plot.Elements(Reports.Svg + "rect").Single();
        Assert.All(plot.Descendants(Reports.Svg + "polyline"), line =>
        {
            double[] heights = [.. line.Attribute("points")!.Value.Split(' ')
                .Select(pair => double.Parse(pair.Split(',')[1], CultureInfo.InvariantCulture))];
            Assert.Equal(Reports.Number(frame, "y") + Reports.Number(frame, "height"), heights[0], tolerance: 0.02);
            Assert.Equal(Reports.Number(frame, "y"), heights[^1], tolerance: 0.02);
            Assert.Equal(heights.OrderDescending(), heights);
        }, throwIfEmpty: true);
    }

    [Fact]
    public void A_single_run_has_no_plots_by_level()
    {
        string[] titles = Reports.Titles(Reports.Parse(Reports.Of(Reports.Run(16, 1000, 80, seconds: 3))));
        Assert.Equal(["Distribution of times", "Rate, 16 peers", "Times of each second, 16 peers"], titles);
    }

    [Theory]
    [InlineData((int)LoadPacing.Open, 20)]
    [InlineData((int)LoadPacing.Observe, 0)]
    public void Runs_without_changes_have_no_column_for_changes(int loop, int rate)
    {
        LoadResult run = Reports.Run(1000, 20_000, 5_000, (LoadPacing)loop);
        XDocument document = Reports.Parse(Reports.Of(run with { Plan = run.Plan with { Rate = rate }, Changes = 0 }));

        Assert.DoesNotContain("changes", document.Descendants("th").Select(head => head.Value));
    }

    [Fact]
    public void Observing_runs_show_the_time_until_the_last_observer_was_notified()
    {
        XDocument document = Reports.Parse(Reports.Of(Reports.Run(1000, 20_000, 5_000, LoadPacing.Observe)));
        Assert.Contains("Distribution of times from a change to the last observer", Reports.Titles(document));
        string[] heads = [.. document.Descendants("th").Select(head => head.Value)];
        Assert.Superset(new HashSet<string> { "notifications", "min", "p95", "max", "changes", "observers with the last state",
            "to the last observer, p50" },
            heads.ToHashSet());
    }

    [Fact]
    public void Reports_without_runs_and_runs_without_responses_are_valid_documents()
    {
        Assert.Empty(Reports.Plots(Reports.Parse(Reports.Of())));
        LoadPlan plan = new() { Uri = "coap://127.0.0.1/x" };
        LoadResult none = new() { Plan = plan, Seconds = 0, Count = 0, Times = [], Lost = 3 };
        XDocument document = Reports.Parse(
            Reports.Of(none, none with { Plan = plan with { Peers = 17 }, Seconds = 1, Series = [new(1, 0, 0, 0), new(2, 0, 0, 0)] }));
        document.ToString().Omits("NaN");
        Assert.Equal(["Throughput by peers", "Times by peers", "Rate, 17 peers"], Reports.Titles(document));
        Assert.DoesNotContain(document.Descendants("h2"), head => head.Value == "Errors");
    }

    [Fact]
    public void Foreign_text_is_escaped()
    {
        const string Nasty = "<script>alert('1')</script> & \" \u0001 \uD83D\uDE00 \uD83D ]]>";
        LoadResult run = Reports.Run(10, 5, 5) with { Errors = new Dictionary<string, long> { [Nasty] = 7 }, };
        LoadReport report = Reports.Of(run with { Plan = run.Plan with { Uri = "coap://h/" + Nasty } }, Reports.Run(11, 5, 5)) with
        {
            Machine = Nasty,
            Command = Nasty
        };
        XDocument document = Reports.Parse(report);
        Assert.Empty(document.Descendants("script"));
        HtmlReport.Write(report).Omits("<script");
        Assert.Equal("<script>alert('1')</script> & \" \uFFFD \uD83D\uDE00 \uFFFD ]]>", document.Descendants("dd").ElementAt(1).Value);
        Assert.Contains(document.Descendants("td"), cell => cell.Value == "7");
    }

    [Fact]
    public void The_report_is_self_contained_and_has_colors_for_light_and_dark_schemes()
    {
        LoadReport report = s_levels with
        {
            Machine = "",
            Runs = [s_levels.Runs[0] with { Errors = new Dictionary<string, long> { [""] = 1 } }, .. s_levels.Runs]
        };
        XDocument document = Reports.Parse(report);
        Assert.DoesNotContain(document.Descendants().Attributes(), attribute => attribute.Name.LocalName is "src" or "href");
        string style = document.Descendants("style").Single().Value;
        style.Mentions("prefers-color-scheme: dark");

        // The text of a style sheet is not unescaped in HTML.
        HtmlReport.Write(report).Mentions(style);

        // Nor may an element that is not empty by nature close itself.
        Assert.DoesNotContain(document.Descendants(),
            element => element.IsEmpty && element.Name.NamespaceName.Length == 0 && element.Name.LocalName != "meta");
    }
}
