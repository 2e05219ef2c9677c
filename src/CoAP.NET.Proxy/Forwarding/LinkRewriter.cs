namespace CoAP.NET.Proxy.Forwarding;

/// <summary>
/// Rewrites the links of a server for the clients of a reverse proxy (RFC 7252 section 5.7.3, RFC 6690). Links below the target get the
/// path of the proxy as a prefix, links to other servers stay, and links to resources that the proxy does not reach are removed.
/// </summary>
internal static class LinkRewriter
{
    /// <summary>The maximum length of a document, in bytes.</summary>
    public const int MaxLength = 64 * 1024;

    /// <summary>The maximum number of links in a document.</summary>
    public const int MaxLinks = 2000;

    // A path relative to a peer has no authority.
    private const string PeerOrigin = "coap://peer.invalid";

    /// <summary>Rewrites the document of a response.</summary>
    /// <param name="result">The response; other formats pass unchanged.</param>
    /// <param name="document">The URI of the request.</param>
    /// <param name="target">The URI that the path maps to; empty if it is relative to a peer.</param>
    /// <param name="prefix">The path at the proxy, such as <c>/floor1</c>; empty for the root.</param>
    public static CoapResult Rewrite(CoapResult result, string document, string target, string prefix)
    {
        if (result.Code != CoapCode.Content || result.Options.ContentFormat != CoapContentFormat.LinkFormat || result.Payload.IsEmpty)
        {
            return result;
        }

        if (result.Payload.Length > MaxLength
            || !CoapLinkFormat.TryParse(result.Payload.Span, out IReadOnlyList<CoapLink> links, out CoapContentSyntaxError _, MaxLinks))
        {
            return Refused();
        }

        string origin = target.Length == 0 ? PeerOrigin : target;
        string from = document[0] == '/' ? PeerOrigin + document : document;
        CoapContent content = CoapLinkFormat.ToContent(links.Select(link => Rewrite(link, from, origin, prefix)).OfType<CoapLink>());
        CoapResult rewritten = new(result.Code, content.Bytes) { DeclinesObserver = result.DeclinesObserver };
        rewritten.OwnOptions.AddAll(result.Options);
        return rewritten;
    }

    /// <summary>The response for a document whose links cannot be rewritten.</summary>
    public static CoapResult Refused() => CoapResults.Status(
        CoapCode.BadGateway, $"The links of the server are not readable, or exceed {MaxLinks} links or {MaxLength} bytes.");

    private static CoapLink? Rewrite(CoapLink link, string document, string origin, string prefix)
    {
        if (Rewrite(link.ResolveTarget(document), origin, prefix) is not { } target)
        {
            return null;
        }

        if (link.Anchor is not { } anchor)
        {
            return new CoapLink(target, link.Attributes);
        }

        return Rewrite(new CoapLink(anchor).ResolveTarget(document), origin, prefix) is { } context
            ? new CoapLink(target, link.Attributes.Select(attribute => Renamed(attribute, context)))
            : null;
    }

    private static CoapLinkAttribute Renamed(CoapLinkAttribute attribute, string anchor) =>
        attribute.Name.Equals("anchor", StringComparison.OrdinalIgnoreCase) ? new CoapLinkAttribute(attribute.Name, anchor) : attribute;

    // Null for resources of the server that are not below the target.
    private static string? Rewrite(string uri, string target, string prefix)
    {
        (string authority, string path) = Split(uri);
        (string ours, string basePath) = Split(target);
        if (!authority.Equals(ours, StringComparison.OrdinalIgnoreCase))
        {
            return uri;
        }

        string below = basePath.TrimEnd('/');
        if (!path.StartsWith(below, StringComparison.Ordinal)
            || (path.Length > below.Length && path[below.Length] is not ('/' or '?' or '#')))
        {
            return null;
        }

        string rest = path[below.Length..];
        return prefix.Length == 0 && rest is not ['/', ..] ? "/" + rest : prefix + rest;
    }

    // Scheme and authority, without the default port of the scheme, and the rest.
    private static (string Authority, string Path) Split(string uri)
    {
        int from = uri.IndexOf("://", StringComparison.Ordinal);
        int slash = from < 0 ? -1 : uri.AsSpan(from + 3).IndexOfAny('/', '?', '#');
        string authority = from < 0 || slash < 0 ? uri : uri[..(from + 3 + slash)];
        string path = from < 0 || slash < 0 ? string.Empty : uri[(from + 3 + slash)..];
        return CoapUri.TryParse(authority, out CoapUri? known) ? (known.ToString().TrimEnd('/'), path) : (authority, path);
    }
}
