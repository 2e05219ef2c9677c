using System.Text;
using CoAP.NET.Uris;

namespace CoAP.NET.Resources;

/// <summary>
/// A route template such as <c>/devices/{id}</c>: a path in URI form whose segments are literals, parameters or, as the last one, a
/// catch-all <c>{*rest}</c>. Empty segments count: <c>/a</c> and <c>/a/</c> are two resources (RFC 7252 section 6.4).
/// </summary>
internal sealed class RouteTemplate
{
    private const int MaxSegmentLength = 255;

    private RouteTemplate(RouteSegment[] segments)
    {
        Segments = segments;
        ParameterNames = [.. segments.Where(segment => segment.Kind != RouteSegmentKind.Literal).Select(segment => segment.Text)];
        Text = segments.Length == 0 ? "/" : string.Concat(segments.Select(Print));
    }

    public static RouteTemplate Root { get; } = new([]);

    public RouteSegment[] Segments { get; }

    public string[] ParameterNames { get; }

    /// <summary>The template in URI form, with its first slash.</summary>
    public string Text { get; }

    public bool HasParameters => ParameterNames.Length != 0;

    /// <exception cref="ArgumentException">The text is not a template; the message says what to write instead.</exception>
    public static RouteTemplate Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (text.IndexOf("://", StringComparison.Ordinal) is var colon and > 0 && Uri.CheckSchemeName(text[..colon]))
        {
            throw Bad(text,
                "It is a URI, but a template is only a path. Write the part after the host, such as /devices/{id}; set the host with "
                    + "Listen and the scheme with RequireScheme.");
        }

        return text is "" or "/"
            ? Root
            : new RouteTemplate(Array.ConvertAll(UriEncoding.SplitPath(text), segment => ParseSegment(segment, text))).Check(text);
    }

    /// <summary>Returns the template of a route in a group.</summary>
    public RouteTemplate Append(RouteTemplate other) =>
        Segments.Length == 0 ? other : other.Segments.Length == 0 ? this
            : new RouteTemplate([.. Segments, .. other.Segments]).Check(Text + other.Text);

    /// <summary>Returns the path in URI form that the template has with the values of its parameters.</summary>
    /// <exception cref="KeyNotFoundException">The values lack a parameter.</exception>
    public string PathOf(CoapRouteValues values)
    {
        StringBuilder path = new();
        foreach (RouteSegment segment in Segments)
        {
            // The value of a catch-all has its segments with their slashes escaped.
            string[] parts = segment.Kind switch
            {
                RouteSegmentKind.Literal => [segment.Text],
                RouteSegmentKind.Parameter => [values[segment.Text]],
                _ when values[segment.Text].Length == 0 => [],
                _ => Array.ConvertAll(values[segment.Text].Split('/'), static part => UriEncoding.Decode(part, nameof(values))),
            };
            foreach (string part in parts)
            {
                UriEncoding.AppendSegment(path.Append('/'), Encoding.UTF8.GetBytes(part));
            }
        }

        return path.Length == 0 ? "/" : path.ToString();
    }

    public override string ToString() => Text;

    private static RouteSegment ParseSegment(string segment, string template)
    {
        if (segment.StartsWith('{') && segment.EndsWith('}'))
        {
            bool rest = segment.StartsWith("{*", StringComparison.Ordinal);
            string name = segment[(rest ? 2 : 1)..^1];
            return name.Length != 0 && name.AsSpan().IndexOfAny("{}*?:") < 0
                ? new RouteSegment(rest ? RouteSegmentKind.Rest : RouteSegmentKind.Parameter, name, [])
                : throw Bad(template, name.Contains(':', StringComparison.Ordinal)
                    ? $"'{segment}' has a constraint, which CoAP routes do not support. Write {{{name.Split(':')[0]}}}, and check the "
                        + $"value in the handler."
                    : name.EndsWith('?')
                        ? $"'{segment}' is optional, which parameters of a route cannot be. Write {{{name.TrimEnd('?')}}} and map the "
                            + $"shorter path as well, or take it from the query."
                        : $"'{segment}' is not a parameter. Write {{name}}, or {{*name}} for the rest of the path.");
        }

        int special = segment.AsSpan().IndexOfAny("{}?#");
        if (special >= 0)
        {
            throw Bad(template, segment[special] is '{' or '}'
                ? $"A parameter must be a whole segment, unlike in '{segment}'. Write %7B and %7D for literal braces."
                : "A template is a path without query or fragment. Read the query from the request; write %3F or %23 for characters of the "
                    + "path.");
        }

        if (!UriEncoding.TryDecode(segment, out string? literal, out string? fault))
        {
            throw Bad(template, fault);
        }

        byte[] utf8 = Encoding.UTF8.GetBytes(literal);
        if (UriEncoding.IsDotSegment(utf8))
        {
            throw Bad(template, "A Uri-Path segment must not be '.' or '..' (RFC 7252 section 5.10.1). Write the path without them.");
        }

        return utf8.Length <= MaxSegmentLength
            ? new RouteSegment(RouteSegmentKind.Literal, literal, utf8)
            : throw Bad(template, "A Uri-Path segment must have at most 255 bytes (RFC 7252 section 5.10). Split it.");
    }

    private static string Print(RouteSegment segment)
    {
        StringBuilder builder = new("/");
        switch (segment.Kind)
        {
            case RouteSegmentKind.Literal:
                UriEncoding.AppendSegment(builder, segment.Utf8);
                break;
            case RouteSegmentKind.Parameter:
                builder.Append('{').Append(segment.Text).Append('}');
                break;
            default:
                builder.Append("{*").Append(segment.Text).Append('}');
                break;
        }

        return builder.ToString();
    }

    private static ArgumentException Bad(string template, string why) => new($"The route template '{template}' cannot be used. {why}");

    private RouteTemplate Check(string text)
    {
        for (int i = 0; i < Segments.Length - 1; i++)
        {
            if (Segments[i].Kind == RouteSegmentKind.Rest)
            {
                throw Bad(text, $"{{*{Segments[i].Text}}} matches all remaining segments, so nothing can follow it. Move it to the end.");
            }
        }

        string? twice = ParameterNames.GroupBy(name => name, StringComparer.Ordinal).FirstOrDefault(group => group.Count() > 1)?.Key;
        return twice is null ? this : throw Bad(text, $"It has the parameter '{twice}' twice. Give each parameter its own name.");
    }
}
