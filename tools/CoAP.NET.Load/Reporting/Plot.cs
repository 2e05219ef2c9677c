using System.Globalization;
using System.Xml.Linq;

namespace CoAP.NET.Load.Reporting;

/// <summary>A plot as SVG. It omits points without a place on an axis, such as zero on a logarithmic one.</summary>
/// <param name="title">Its title.</param>
/// <param name="x">The axis below.</param>
/// <param name="y">The axis on the left.</param>
/// <param name="lines">The lines.</param>
/// <param name="width">Its width, in the units of the text, which is 12 high.</param>
internal sealed class Plot(string title, PlotAxis x, PlotAxis y, IReadOnlyList<PlotLine> lines, double width = 720)
{
    private const double Height = 320;
    private const double Left = 76;
    private const double Right = 30;
    private const double Top = 14;
    private const double Bottom = 52;

    // On a longer line the marks would merge.
    private const int MostMarks = 60;

    /// <summary>Returns the plot with its title and, for more than one line, its legend.</summary>
    public XElement ToHtml()
    {
        XElement figure = new("figure", new XElement("figcaption", HtmlElements.Text(title)), ToSvg());
        if (lines.Count > 1)
        {
            figure.Add(new XElement("ul", new XAttribute("class", "legend"),
                lines.Select(static (line, i) => new XElement("li", Key(i), HtmlElements.Text(line.Name)))));
        }

        return figure;
    }

    public XElement ToSvg() => HtmlElements.Svg(
        "svg",
        new XAttribute("viewBox", $"0 0 {Place(width)} {Place(Height)}"),
        new XAttribute("role", "img"),
        HtmlElements.Svg("title", HtmlElements.Text(title)),
        x.Ticks.Select(TickBelow),
        y.Ticks.Select(TickLeft),
        HtmlElements.Svg("rect", At("x", Left), At("y", Top), At("width", width - Left - Right), At("height", Height - Top - Bottom),
            new XAttribute("class", "frame")),
        Text(HtmlElements.Text(x.Label), (Left + width - Right) / 2, Height - 8, "middle"),
        new XElement(Text(HtmlElements.Text(y.Label), 16, (Top + Height - Bottom) / 2, "middle"))
            .With(new XAttribute("transform", $"rotate(-90 16 {Place((Top + Height - Bottom) / 2)})")),
        lines.Select(Draw));

    private static XElement Key(int index) => HtmlElements.Svg(
        "svg", new XAttribute("viewBox", "0 0 24 8"), new XAttribute("class", "key"),
        HtmlElements.Svg("line", At("x1", 0), At("y1", 4), At("x2", 24), At("y2", 4), ClassOf(index)));

    private static XAttribute ClassOf(int index) =>
        new("class", $"line c{index % ReportStyle.Colors} d{index / ReportStyle.Colors % ReportStyle.Dashes}");

    private static XElement Text(string text, double left, double top, string anchor) =>
        HtmlElements.Svg("text", At("x", left), At("y", top), new XAttribute("text-anchor", anchor), text);

    private static XAttribute At(string name, double value) => new(name, Place(value));

    private static string Place(double value) => value.ToString("0.##", CultureInfo.InvariantCulture);

    private double PlaceX(double value) => Left + (x.Place(value) * (width - Left - Right));

    private double PlaceY(double value) => Height - Bottom - (y.Place(value) * (Height - Top - Bottom));

    private IEnumerable<XElement> TickBelow(double value) =>
    [
        HtmlElements.Svg("line", At("x1", PlaceX(value)), At("x2", PlaceX(value)), At("y1", Top), At("y2", Height - Bottom),
            new XAttribute("class", "grid")),
        Text(HtmlElements.Text(x.Format(value)), PlaceX(value), Height - Bottom + 20, "middle"),
    ];

    private IEnumerable<XElement> TickLeft(double value) =>
    [
        HtmlElements.Svg("line", At("x1", Left), At("x2", width - Right), At("y1", PlaceY(value)), At("y2", PlaceY(value)),
            new XAttribute("class", "grid")),
        Text(HtmlElements.Text(y.Format(value)), Left - 7, PlaceY(value) + 4, "end"),
    ];

    private IEnumerable<XElement> Draw(PlotLine line, int index)
    {
        PlotPoint[] points = [.. line.Points.Where(point => x.Has(point.X) && y.Has(point.Y))];
        if (points.Length > 1)
        {
            List<string> places = [];
            for (int i = 0; i < points.Length; i++)
            {
                if (line.IsStepped && i > 0)
                {
                    places.Add($"{Place(PlaceX(points[i].X))},{Place(PlaceY(points[i - 1].Y))}");
                }

                places.Add($"{Place(PlaceX(points[i].X))},{Place(PlaceY(points[i].Y))}");
            }

            yield return HtmlElements.Svg("polyline", new XAttribute("points", string.Join(' ', places)), ClassOf(index));
        }

        if (!line.IsStepped && points.Length <= MostMarks)
        {
            foreach (PlotPoint point in points)
            {
                string told = $"{line.Name}: {x.Format(point.X)}, {y.Format(point.Y)}";
                yield return HtmlElements.Svg("circle", At("cx", PlaceX(point.X)), At("cy", PlaceY(point.Y)), At("r", 3.2),
                    new XAttribute("class", $"mark c{index % ReportStyle.Colors}"), HtmlElements.Svg("title", HtmlElements.Text(told)));
            }
        }
    }
}
