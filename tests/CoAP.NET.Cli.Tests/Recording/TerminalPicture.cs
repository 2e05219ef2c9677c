using System.Globalization;
using System.Security;

namespace CoAP.NET.Cli.Tests.Recording;

/// <summary>Draws what a terminal shows as an SVG.</summary>
internal static class TerminalPicture
{
    private const int Columns = 92;
    private const int LineHeight = 20;
    private const int Margin = 20;
    private const int TitleHeight = 34;
    private const double CharacterWidth = 8.4;

    // SVG makes one space of several.
    private const char NoBreakSpace = '\u00a0';

    /// <summary>Draws lines: those that begin with <c>$</c> are commands.</summary>
    /// <param name="lines">The lines, in their order.</param>
    public static string Draw(IReadOnlyList<string> lines)
    {
        double width = (Columns * CharacterWidth) + (2 * Margin);
        int height = TitleHeight + (lines.Count * LineHeight) + Margin;
        StringBuilder svg = new();
        string size = string.Create(
            CultureInfo.InvariantCulture, $"width=\"{width:F0}\" height=\"{height}\" viewBox=\"0 0 {width:F0} {height}\"");
        svg.Append("<svg xmlns=\"http://www.w3.org/2000/svg\" ").Append(size).Append(" role=\"img\">\n")
            .Append("<title>The command line tool coap in a terminal</title>\n")
            .Append("<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#161b22\"/>\n")
            .Append("<circle cx=\"20\" cy=\"17\" r=\"5\" fill=\"#ff5f57\"/><circle cx=\"38\" cy=\"17\" r=\"5\" fill=\"#febc2e\"/>")
            .Append("<circle cx=\"56\" cy=\"17\" r=\"5\" fill=\"#28c840\"/>\n")
            .Append("<g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\">\n");
        int y = TitleHeight + 14;
        foreach (string line in lines)
        {
            string text = SecurityElement.Escape(line.Replace(' ', NoBreakSpace));
            svg.Append(CultureInfo.InvariantCulture, $"<text x=\"{Margin}\" y=\"{y}\" {StyleOf(line)}>{text}</text>\n");
            y += LineHeight;
        }

        return svg.Append("</g>\n</svg>\n").ToString();
    }

    private static string StyleOf(string line) => line switch
    {
        ['$', ..] => "fill=\"#f0f6fc\" font-weight=\"bold\"",
        ['>', ..] => "fill=\"#79c0ff\"",
        ['<', ..] => "fill=\"#7ee787\"",
        _ => "fill=\"#c9d1d9\"",
    };
}
