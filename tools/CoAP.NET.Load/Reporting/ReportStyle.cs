using System.Globalization;
using System.Text;

namespace CoAP.NET.Load.Reporting;

/// <summary>
/// The style of a report: two colour schemes, chosen by the reader's system preference. Without the characters that XML escapes and HTML
/// does not.
/// </summary>
internal static class ReportStyle
{
    private static readonly string[] s_light = ["#1f6fd0", "#d2571f", "#12876a", "#a3348e", "#9a7200", "#5b4bc4", "#c22f3d", "#4a7a1c"];
    private static readonly string[] s_dark = ["#6aa9f5", "#f08a55", "#45c39c", "#dd7fcb", "#d8b23e", "#a498f5", "#f07a83", "#97c95c"];
    private static readonly string[] s_dashes = ["none", "7 4", "2 3"];

    public static int Colors => s_light.Length;

    /// <summary>Number of dash patterns per colour.</summary>
    public static int Dashes => s_dashes.Length;

    public static string Sheet { get; } = Make();

    private static string Make()
    {
        StringBuilder sheet = new("""

            :root { color-scheme: light dark; --page: #ffffff; --text: #1d2126; --faint: #626a73; --rule: #d8dce1; --grid: #e9ecef;
            """);
        AppendColors(sheet, s_light);
        sheet.Append(" }\n@media (prefers-color-scheme: dark) { :root { --page: #15181c; --text: #e4e7ea; --faint: #9aa3ad; --rule: "
            + "#3a4047; --grid: #262b31;");
        AppendColors(sheet, s_dark);
        sheet.Append("""
             } }
            body { background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1.2rem; }
            h1 { font-size: 1.6rem; margin: 0 0 .4rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
            dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0; } dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
            code { font: .92em ui-monospace, monospace; }
            .scroll { overflow-x: auto; }
            table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
            th, td { border-bottom: 1px solid var(--rule); padding: .25rem .7rem; text-align: right; white-space: nowrap; }
            th { color: var(--faint); font-weight: 500; vertical-align: bottom; white-space: normal; } th.text, td.text { text-align: left; }
            .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 1.4rem 1.6rem; }
            figure { margin: 0; } figcaption { font-weight: 600; margin-bottom: .2rem; }
            figure svg { display: block; width: 100%; height: auto; }
            svg text { fill: var(--faint); font: 12px system-ui, sans-serif; }
            .frame { fill: none; stroke: var(--rule); } .grid { stroke: var(--grid); }
            .line { fill: none; stroke-width: 2; stroke-linejoin: round; } .mark { stroke: none; }
            .legend { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; list-style: none; margin: .2rem 0 0; padding: 0 0 0 2rem; font-size: .85rem; }
            .legend svg { display: inline-block; height: .5rem; margin-right: .4rem; width: 1.5rem; vertical-align: middle; }

            """);
        for (int i = 0; i < s_light.Length; i++)
        {
            sheet.Append(CultureInfo.InvariantCulture, $".line.c{i} {{ stroke: var(--c{i}); }} .mark.c{i} {{ fill: var(--c{i}); }}\n");
        }

        for (int i = 0; i < s_dashes.Length; i++)
        {
            sheet.Append(CultureInfo.InvariantCulture, $".d{i} {{ stroke-dasharray: {s_dashes[i]}; }}\n");
        }

        return sheet.ToString();
    }

    private static void AppendColors(StringBuilder sheet, string[] colors)
    {
        for (int i = 0; i < colors.Length; i++)
        {
            sheet.Append(CultureInfo.InvariantCulture, $" --c{i}: {colors[i]};");
        }
    }
}
