using System.Text;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>Maps the paths of a reverse proxy to target URIs (RFC 7252 section 5.7.3).</summary>
/// <param name="target">The URI that the path before the catch-all maps to; null if it is relative to a peer.</param>
internal sealed class ReverseProxyTargetMapper(string? target)
{
    private readonly string _base = (target ?? string.Empty).TrimEnd('/');
    private readonly string[] _basePath = PathOf(target);

    /// <summary>The template of the route, with the prefixes of its groups.</summary>
    public string Template
    {
        get;
        set
        {
            field = value;
            string[] segments = value.Split('/', StringSplitOptions.RemoveEmptyEntries);
            HasRest = segments is [.., ['{', '*', ..]];
            Prefix = HasRest ? segments.Length - 1 : segments.Length;
        }
    }
    = "/";

    private bool HasRest { get; set; }

    // The number of segments before the catch-all.
    private int Prefix { get; set; }

    // The URI may have any scheme of an upstream.
    private static string[] PathOf(string? target)
    {
        string[] segments = target is null ? []
            : CoapUri.TryParse(target, out CoapUri? coap) ? [.. coap.PathSegments]
            : Uri.TryCreate(target, UriKind.Absolute, out Uri? uri)
                ? [.. uri.AbsolutePath.Split('/').Skip(1).Select(Uri.UnescapeDataString)]
            : [];

        // A trailing slash separates nothing; other empty segments count, such as those of a URI within the path of a proxy between HTTP
        // and CoAP.
        int length = segments.Length;
        while (length > 0 && segments[length - 1].Length == 0)
        {
            length--;
        }

        return segments[..length];
    }

    public string For(CoapOptionCollection request)
    {
        StringBuilder text = new(_base);
        if (HasRest)
        {
            foreach (string segment in request.UriPath.Skip(Prefix))
            {
                text.Append('/').Append(Uri.EscapeDataString(segment));
            }
        }

        if (text.Length == 0)
        {
            text.Append('/');
        }

        char separator = '?';
        foreach (string argument in request.UriQuery)
        {
            text.Append(separator).Append(Escape(argument));
            separator = '&';
        }

        return text.ToString();
    }

    /// <summary>Rewrites the Location of a response for the clients of the proxy.</summary>
    public CoapResult Relocate(CoapResult result, CoapOptionCollection request)
    {
        string[] location = [.. result.Options.LocationPath];
        if (location.Length == 0)
        {
            // A Location with only a query is relative to the request (RFC 7252 section 5.10.7).
            return result;
        }

        result.OwnOptions.Remove(OptionNumber.LocationPath);
        if (!location.AsSpan().StartsWith(_basePath) || Array.Exists(location, static segment => segment is "." or ".."))
        {
            // Clients have no path for it: the same path here would be another resource. Dot segments can lead anywhere.
            result.OwnOptions.Remove(OptionNumber.LocationQuery);
            return result;
        }

        foreach (string segment in request.UriPath.Take(Prefix).Concat(location.Skip(_basePath.Length)))
        {
            result.OwnOptions.Add(OptionNumber.LocationPath, Encoding.UTF8.GetBytes(segment));
        }

        return result;
    }

    /// <summary>Rewrites the links of a response for the clients of the proxy.</summary>
    public CoapResult RewriteLinks(CoapResult result, CoapOptionCollection request) => LinkRewriter.Rewrite(
        result,
        For(request),
        _base,
        string.Concat(request.UriPath.Take(Prefix).Select(static segment => "/" + Uri.EscapeDataString(segment))));

    // Escapes the characters that separate arguments or start the fragment; the rest stays readable.
    private static string Escape(string argument) => Uri.EscapeDataString(argument).Replace("%3D", "=", StringComparison.Ordinal);
}
