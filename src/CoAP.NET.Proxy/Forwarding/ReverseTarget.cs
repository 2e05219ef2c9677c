using System.Text;
using CoAP.NET.Options;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>The URIs that the paths of a reverse proxy stand for (RFC 7252 section 5.7.3).</summary>
/// <param name="target">The URI that the path before the catch-all stands for; null for one that is relative to a peer.</param>
internal sealed class ReverseTarget(string? target)
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

    // How many segments stand before the catch-all.
    private int Prefix { get; set; }

    // Of a URI of any scheme that a proxy has an upstream for.
    private static string[] PathOf(string? target)
    {
        string[] segments = target is null ? []
            : CoapUri.TryParse(target, out CoapUri? coap) ? [.. coap.PathSegments]
            : Uri.TryCreate(target, UriKind.Absolute, out Uri? uri)
                ? [.. uri.AbsolutePath.Split('/').Skip(1).Select(Uri.UnescapeDataString)]
            : [];

        // A slash at the end separates nothing; others count, as those of a URI within the path of a proxy between HTTP and CoAP.
        int length = segments.Length;
        while (length > 0 && segments[length - 1].Length == 0)
        {
            length--;
        }

        return segments[..length];
    }

    /// <summary>The URI that a request goes on to.</summary>
    /// <param name="request">The options of the request.</param>
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

    /// <summary>An answer with its Location as the clients of the proxy know it.</summary>
    /// <param name="result">The answer.</param>
    /// <param name="request">The options of the request.</param>
    public CoapResult Relocate(CoapResult result, CoapOptionCollection request)
    {
        string[] location = [.. result.Options.LocationPath];
        if (location.Length == 0)
        {
            // That of a query alone is relative to what was asked (RFC 7252 section 5.10.7).
            return result;
        }

        result.Options.Remove(OptionNumber.LocationPath);
        if (!location.AsSpan().StartsWith(_basePath) || Array.Exists(location, static segment => segment is "." or ".."))
        {
            // Clients have no path for it: the same path here would be something else. Dot segments lead anywhere.
            result.Options.Remove(OptionNumber.LocationQuery);
            return result;
        }

        foreach (string segment in request.UriPath.Take(Prefix).Concat(location.Skip(_basePath.Length)))
        {
            result.Options.Add(OptionNumber.LocationPath, Encoding.UTF8.GetBytes(segment));
        }

        return result;
    }

    /// <summary>An answer with its links as the clients of the proxy can follow them.</summary>
    /// <param name="result">The answer.</param>
    /// <param name="request">The options of the request.</param>
    public CoapResult RewriteLinks(CoapResult result, CoapOptionCollection request) => LinkRewriting.Rewrite(
        result,
        For(request),
        _base,
        string.Concat(request.UriPath.Take(Prefix).Select(static segment => "/" + Uri.EscapeDataString(segment))));

    // What separates arguments, or begins the fragment, is escaped; the rest stays as people write it.
    private static string Escape(string argument) => Uri.EscapeDataString(argument).Replace("%3D", "=", StringComparison.Ordinal);
}
