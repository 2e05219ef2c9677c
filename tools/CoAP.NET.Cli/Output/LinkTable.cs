using System.Globalization;
using Spectre.Console;

namespace CoAP.NET.Cli.Output;

/// <summary>Links (RFC 6690) as a table.</summary>
internal static class LinkTable
{
    private static readonly string[] s_shown = ["rt", "if", "ct", "sz", "obs", "title", "title*"];

    public static Table Of(IReadOnlyList<CoapLink> links)
    {
        (string Name, Func<CoapLink, string> Text)[] columns =
        [
            ("Target", link => link.Target),
            ("Type", link => string.Join(' ', link.ResourceTypes)),
            ("Interface", link => string.Join(' ', link.Interfaces)),
            ("Format", link =>
                string.Join(", ",
                    link.ContentFormats.Select(format => format.ToString().Replace(";charset=utf-8", "", StringComparison.Ordinal)))),
            ("Size", link => link.Size?.ToString(CultureInfo.InvariantCulture) ?? ""),
            ("Obs", link => link.IsObservable ? "yes" : ""),
            ("Title", link => link.Title ?? ""),
            ("More", link =>
                string.Join("; ", link.Attributes.Where(attribute => !s_shown.Contains(attribute.Name, StringComparer.OrdinalIgnoreCase)))),
        ];
        return TableFormatter.Of(links, columns);
    }
}
