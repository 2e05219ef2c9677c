using System.Globalization;
using System.Xml.Linq;

namespace CoAP.NET.Benchmarks;

/// <summary>
/// Draws the matrix beside what was published: a line for each message, a mark for each way, on a logarithmic axis of time.
/// </summary>
internal static class MatrixCharts
{
    /// <summary>The file of the chart of reading.</summary>
    public const string Reading = "serializers-reading.svg";

    /// <summary>The file of the chart of writing.</summary>
    public const string Writing = "serializers-writing.svg";

    private const int Left = 130;
    private const int Top = 60;
    private const int RowHeight = 20;
    private const int DecadeWidth = 90;

    // 1 ns to 1 s, in microseconds.
    private const int FirstDecade = -3;
    private const int LastDecade = 6;
    private const int Width = Left + ((LastDecade - FirstDecade) * DecadeWidth) + 30;

    private static readonly XNamespace s_svg = "http://www.w3.org/2000/svg";

    /// <summary>Writes the charts.</summary>
    /// <param name="folder">Where to.</param>
    /// <param name="rows">What was measured.</param>
    public static void Write(string folder, IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> rows)
    {
        Draw("Reading a message, RFC 8323", Way.All[0], Way.All[1], rows).Save(Path.Combine(folder, Reading));
        Draw("Writing a message, RFC 8323", Way.All[2], Way.All[3], rows).Save(Path.Combine(folder, Writing));
    }

    private static XElement Draw(string title, Way now, Way later, IReadOnlyList<(MatrixCase Case, MatrixFigures Figures)> rows)
    {
        int bottom = Top + (rows.Count * RowHeight);
        XElement picture = new(s_svg + "svg", new XAttribute("viewBox", $"0 0 {Width} {bottom + 30}"),
            new XAttribute("width", Width), new XAttribute("height", bottom + 30), new XAttribute("font-family", "sans-serif"),
            new XElement(s_svg + "rect", new XAttribute("width", "100%"), new XAttribute("height", "100%"), new XAttribute("fill", "#fff")),
            Text(Left, 20, title, "start", 15));
        (string Name, string Color, bool IsFilled)[] keys =
        [
            ("a copy", "#999", true), ($"{now.Name}, published", "#d95f02", false), ($"{later.Name}, published", "#7570b3", false),
            (now.Name, "#d95f02", true), (later.Name, "#7570b3", true),
        ];
        for (int i = 0, x = Left; i < keys.Length; x += 45 + (keys[i].Name.Length * 7), i++)
        {
            picture.Add(Mark(x, 40, keys[i].Color, keys[i].IsFilled), Text(x + 9, 44, keys[i].Name, "start"));
        }

        string[] units = ["1 ns", "10 ns", "100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s"];
        for (int i = 0; i < units.Length; i++)
        {
            int x = Left + (i * DecadeWidth);
            picture.Add(Line(x, Top, x, bottom, "#ddd"), Text(x, bottom + 18, units[i], "middle"));
        }

        picture.Add(Text(Left - 10, 44, "options + payload", "end"));
        for (int i = 0; i < rows.Count; i++)
        {
            (MatrixCase one, MatrixFigures measured) = rows[i];
            int y = Top + (i * RowHeight) + (RowHeight / 2);
            Published published = Published.Of[one];
            double[] times =
            [
                measured.Microseconds[nameof(SerializerMatrix.Copy)], now.Time(published), later.Time(published),
                measured.Microseconds[now.Name], measured.Microseconds[later.Name],
            ];
            picture.Add(Line(Left, y, Width - 30, y, "#f0f0f0"),
                Text(Left - 10, y + 4, $"{one.Options:N0} + {one.Payload:N0}", "end"));
            for (int j = 0; j < times.Length; j++)
            {
                picture.Add(Mark(PlaceOf(times[j]), y, keys[j].Color, keys[j].IsFilled));
            }
        }

        return picture;
    }

    private static double PlaceOf(double microseconds) =>
        Left + ((Math.Clamp(Math.Log10(microseconds), FirstDecade, LastDecade) - FirstDecade) * DecadeWidth);

    private static XElement Mark(double x, double y, string color, bool isFilled) => new(s_svg + "circle",
        new XAttribute("cx", x.ToString("0.0")), new XAttribute("cy", y), new XAttribute("r", 4),
        new XAttribute("fill", isFilled ? color : "none"), new XAttribute("stroke", color));

    private static XElement Line(double x1, double y1, double x2, double y2, string color) => new(s_svg + "line",
        new XAttribute("x1", x1), new XAttribute("y1", y1), new XAttribute("x2", x2), new XAttribute("y2", y2),
        new XAttribute("stroke", color));

    private static XElement Text(double x, double y, string text, string anchor, int size = 12) => new(s_svg + "text",
        new XAttribute("x", x), new XAttribute("y", y), new XAttribute("text-anchor", anchor), new XAttribute("font-size", size), text);
}
