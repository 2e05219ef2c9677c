using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>Returns the original target of an HTTP request, because ASP.NET Core decodes paths.</summary>
internal static class RawTarget
{
    /// <summary>Splits the target of a request after the URI of the mapped proxy.</summary>
    /// <param name="context">The request.</param>
    /// <param name="prefix">The path of the proxy, with a trailing slash if more may follow.</param>
    /// <returns>The text after it, including the query.</returns>
    public static string Split(HttpContext context, out string prefix)
    {
        string raw = context.Features.Get<IHttpRequestFeature>() is { RawTarget: { Length: > 0 } target }
            ? target
            : $"{context.Request.PathBase}{context.Request.Path}{context.Request.QueryString}";
        if (!raw.StartsWith('/'))
        {
            // The absolute form of requests to a forward proxy (RFC 9112 section 3.2.2).
            int authority = raw.IndexOf("://", StringComparison.Ordinal);
            int path = authority < 0 ? -1 : raw.IndexOf('/', authority + 3);
            raw = path < 0 ? "/" : raw[path..];
        }

        int segments = SegmentsOf(context.Request.PathBase);
        bool hasRest = false;
        if (context.GetEndpoint() is RouteEndpoint endpoint)
        {
            hasRest = endpoint.RoutePattern.PathSegments is [..,
            { Parts: [Microsoft.AspNetCore.Routing.Patterns.RoutePatternParameterPart { IsCatchAll: true }] }];
            segments += endpoint.RoutePattern.PathSegments.Count - (hasRest ? 1 : 0);
        }

        int query = raw.IndexOf('?', StringComparison.Ordinal);
        int pathEnd = query < 0 ? raw.Length : query;
        int at = 0;
        while (segments-- > 0)
        {
            int next = at + 1 <= pathEnd ? raw.AsSpan(at + 1, pathEnd - at - 1).IndexOf('/') : -1;
            at = next < 0 ? pathEnd : at + 1 + next;
        }

        if (hasRest && at < pathEnd)
        {
            at++;
        }

        prefix = raw[..at];
        return raw[at..];
    }

    private static int SegmentsOf(PathString path) =>
        path.HasValue ? path.Value!.Trim('/') is { Length: > 0 } text ? text.Split('/').Length : 0 : 0;
}
