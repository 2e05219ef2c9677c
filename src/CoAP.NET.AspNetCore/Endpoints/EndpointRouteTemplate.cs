using Microsoft.AspNetCore.Routing.Patterns;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>
/// The part of an ASP.NET Core route pattern that a CoAP route template can express: literals, parameters and a catch-all. Constraints and
/// segments of several parts are checked per request.
/// </summary>
internal sealed class EndpointRouteTemplate
{
    private readonly Segment[] _segments;

    private EndpointRouteTemplate(Segment[] segments)
    {
        _segments = segments;
        Key = segments.Length == 0 ? "/" : string.Concat(segments.Select(static segment => segment.Key));
        Template = segments.Length == 0 ? "/" : string.Concat(segments.Select(static segment => segment.Template));
    }

    internal enum Kind
    {
        Literal,
        Any,
        Rest,
    }

    /// <summary>Equal for patterns that are the same CoAP route, regardless of their parameter names.</summary>
    public string Key { get; }

    public string Template { get; }

    public ReadOnlySpan<Segment> Segments => _segments;

    /// <summary>Returns the shapes of a pattern: more than one if trailing segments are optional.</summary>
    public static EndpointRouteTemplate[] Of(RoutePattern pattern)
    {
        Segment[] segments = [.. pattern.PathSegments.Select(SegmentOf)];
        int shortest = segments.Length;
        while (shortest > 0 && MayBeLeftOut(pattern, pattern.PathSegments[shortest - 1]))
        {
            shortest--;
        }

        return [.. Enumerable.Range(shortest, segments.Length - shortest + 1).Reverse()
            .Select(length => new EndpointRouteTemplate(segments[..length]))];
    }

    /// <summary>Whether this shape matches every path of the other one.</summary>
    public bool Covers(EndpointRouteTemplate other)
    {
        for (int i = 0; ; i++)
        {
            if (KindAt(i) == Kind.Rest)
            {
                return true;
            }

            if (other.KindAt(i) == Kind.Rest)
            {
                return false;
            }

            if (i == _segments.Length || i == other._segments.Length)
            {
                return _segments.Length == other._segments.Length;
            }

            if (_segments[i].Kind == Kind.Literal
                && (other._segments[i].Kind != Kind.Literal || _segments[i].Template != other._segments[i].Template))
            {
                return false;
            }
        }
    }

    private static Segment SegmentOf(RoutePatternPathSegment segment, int index) => segment switch
    {
        { IsSimple: true, Parts: [RoutePatternLiteralPart literal] } =>
            new Segment(Kind.Literal, $"/{Uri.EscapeDataString(literal.Content)}", $"/{Uri.EscapeDataString(literal.Content)}"),
        { IsSimple: true, Parts: [RoutePatternParameterPart { IsCatchAll: true } rest] } =>
            new Segment(Kind.Rest, "/{*}", $"/{{*{rest.Name}}}"),
        { IsSimple: true, Parts: [RoutePatternParameterPart parameter] } => new Segment(Kind.Any, "/{}", $"/{{{parameter.Name}}}"),
        _ => new Segment(Kind.Any, "/{}", string.Create(System.Globalization.CultureInfo.InvariantCulture, $"/{{segment-{index}}}")),
    };

    private static bool MayBeLeftOut(RoutePattern pattern, RoutePatternPathSegment segment) =>
        segment is { IsSimple: true, Parts: [RoutePatternParameterPart { IsCatchAll: false } parameter] }
        && (parameter.IsOptional || pattern.Defaults.ContainsKey(parameter.Name));

    private Kind? KindAt(int index) => index < _segments.Length ? _segments[index].Kind : null;

    /// <summary>A segment of a path.</summary>
    /// <param name="Kind">What it matches.</param>
    /// <param name="Key">Equal for segments that match the same.</param>
    /// <param name="Template">The segment of a CoAP template.</param>
    internal readonly record struct Segment(Kind Kind, string Key, string Template);
}
