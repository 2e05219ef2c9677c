using System.Globalization;
using System.Xml.Linq;
using CoAP.NET.Load.Figures;

namespace CoAP.NET.Load.Reporting;

/// <summary>A report as one HTML file that needs nothing else: no script, no picture, no font.</summary>
internal static class HtmlReport
{
    /// <summary>Writes the report.</summary>
    /// <param name="report">The report; it may have no runs, and runs may have no counts.</param>
    /// <returns>The file's text; it is well-formed XML after its first line.</returns>
    public static string Write(LoadReport report)
    {
        IReadOnlyList<LoadResult> runs = report.Runs;
        XElement body = new("body", Header(report));
        if (runs.Count == 0)
        {
            body.Add(new XElement("p", "There were no runs."));
        }
        else
        {
            body.Add(new XElement("h2", "Runs"), Scrolled(RunTable.Of(runs)));
            if (RunTable.Errors(runs) is { } errors)
            {
                body.Add(new XElement("h2", "Errors"), Scrolled(errors));
            }

            AddPlots(body, "By the number of peers", PeerCountPlots.Of(runs));
            AddPlots(body, "Distribution", DistributionPlots.Of(runs));
            AddPlots(body, "Over time", TimePlots.Of(runs));
        }

        XElement head = new(
            "head",
            new XElement("meta", new XAttribute("charset", "utf-8")),
            new XElement("meta", new XAttribute("name", "viewport"), new XAttribute("content", "width=device-width, initial-scale=1")),
            new XElement("title", HtmlElements.Text($"Load: {Title(report)}")),
            new XElement("style", ReportStyle.Sheet));
        return "<!DOCTYPE html>\n" + new XElement("html", new XAttribute("lang", "en"), head, body) + "\n";
    }

    private static XElement Header(LoadReport report)
    {
        XElement facts = new("dl");
        Add("Begun", report.Begun.ToString("yyyy-MM-dd HH:mm:ss zzz", CultureInfo.InvariantCulture));
        Add("Machine", report.Machine);
        Add("Command", new XElement("code", HtmlElements.Text(report.Command)));
        foreach (string kind in report.Runs.Select(static run => RunLabels.Kind(run.Plan)).Distinct())
        {
            Add("Load", kind);
        }

        return new XElement("header", new XElement("h1", HtmlElements.Text(Title(report))), facts);

        void Add(string name, object what) =>
            facts.Add(new XElement("dt", name), new XElement("dd", what is string text ? HtmlElements.Text(text) : what));
    }

    private static string Title(LoadReport report)
    {
        string[] resources = [.. report.Runs.Select(static run => run.Plan.Uri).Distinct()];
        return resources.Length switch { 0 => "nothing", 1 => resources[0], _ => $"{resources.Length} resources" };
    }

    private static XElement Scrolled(XElement table) => new("div", new XAttribute("class", "scroll"), table);

    private static void AddPlots(XElement body, string title, IEnumerable<Plot> plots)
    {
        XElement[] figures = [.. plots.Select(static plot => plot.ToHtml())];
        if (figures.Length > 0)
        {
            body.Add(new XElement("h2", title), new XElement("div", new XAttribute("class", "plots"), figures));
        }
    }
}
