using System.Xml.Linq;
using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Reporting;

namespace CoAP.NET.Load.Tests;

/// <summary>Made-up reports, and what they look like as documents.</summary>
internal static class Reports
{
    public static XNamespace Svg { get; } = "http://www.w3.org/2000/svg";

    public static LoadReport Of(params LoadResult[] runs) =>
        new() { Begun = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.Zero), Machine = "a machine", Command = "a command", Runs = runs };

    /// <summary>A run with times around a middle, and a few long ones.</summary>
    public static LoadResult Run(int peers, double perSecond, double middle, LoadPacing loop = LoadPacing.Closed, int seconds = 10)
    {
        LoadHistogram times = new();
        Random random = new(peers);
        for (int i = 0; i < 20_000; i++)
        {
            double tail = random.Next(500) == 0 ? 30 * random.NextDouble() : 1;
            times.Add((long)(middle * 1000 * (0.7 + (0.6 * random.NextDouble()) + (random.NextDouble() * random.NextDouble())) * tail));
        }

        LoadPlan plan = new()
        {
            Uri = "coap://127.0.0.1/temperature",
            Loop = loop,
            Peers = peers,
            Rate = loop == LoadPacing.Closed ? 0 : 20,
            Seconds = seconds
        };
        return new LoadResult
        {
            Plan = plan,
            Seconds = seconds,
            Count = (long)(perSecond * seconds),
            Times = LoadResult.ToPairs(times),
            ChangeTimes = loop == LoadPacing.Observe ? LoadResult.ToPairs(times) : [],
            Changes = loop == LoadPacing.Observe ? 20 * seconds : 0,
            Converged = loop == LoadPacing.Observe ? peers : null,
            Series = [.. Enumerable.Range(1, seconds)
                .Select(at => new LoadSecond(at, perSecond * (0.9 + (0.2 * random.NextDouble())), middle,
                    middle * (2 + random.NextDouble())))],
            OwnProcessorSeconds = seconds * 0.93,
            ServerProcessorSeconds = seconds * 0.71,
            ServerResidentBytes = 123_456_789,
        };
    }

    /// <summary>The document without its first line.</summary>
    public static XDocument Parse(LoadReport report)
    {
        string html = HtmlReport.Write(report);
        html.Begins("<!DOCTYPE html>\n");
        return XDocument.Parse(html[html.IndexOf('\n', Ordinal)..]);
    }

    /// <summary>The drawings of plots, without keys of legends.</summary>
    public static XElement[] Plots(XDocument document) =>
        [.. document.Descendants("figure").Select(figure => figure.Elements(Svg + "svg").Single())];

    public static string[] Titles(XDocument document) => [.. document.Descendants("figcaption").Select(caption => caption.Value)];

    /// <summary>All points of lines and marks.</summary>
    public static IEnumerable<(double X, double Y)> Points(XElement svg) =>
        svg.Descendants(Svg + "polyline").SelectMany(line => line.Attribute("points")!.Value.Split(' '))
            .Select(pair => pair.Split(','))
            .Select(pair =>
                (double.Parse(pair[0], CultureInfo.InvariantCulture), double.Parse(pair[1], CultureInfo.InvariantCulture)))
            .Concat(svg.Descendants(Svg + "circle").Select(mark => (Number(mark, "cx"), Number(mark, "cy"))));

    public static double Number(XElement element, string name) =>
        double.Parse(element.Attribute(name)!.Value, CultureInfo.InvariantCulture);
}
