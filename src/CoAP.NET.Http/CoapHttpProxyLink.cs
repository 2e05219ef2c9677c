namespace CoAP.NET.Http;

/// <summary>Announces an HTTP-to-CoAP proxy to CoAP clients (RFC 8075 section 5.5).</summary>
public static class CoapHttpProxyLink
{
    /// <summary>Lists an HTTP-to-CoAP proxy in <c>/.well-known/core</c> of a CoAP server, next to a route.</summary>
    /// <remarks>
    /// The link has the type <c>core.hc</c> and the origin of the proxy as its anchor, such as
    /// <c>&lt;/hc/&gt;;anchor="https://p.example.com";rt="core.hc";hct="{+tu}"</c>.
    /// </remarks>
    /// <param name="route">The route next to the link; it must be listed itself.</param>
    /// <param name="proxy">The absolute URI of the proxy, such as <c>https://p.example.com/hc/</c>.</param>
    /// <param name="template">The position of the target in the URI (RFC 8075 section 5.4), such as <c>?target_uri={+tu}</c>. Null appends
    /// the whole target, as in <c>https://p.example.com/hc/coap://s.example.com/light</c>.</param>
    /// <returns>The route.</returns>
    /// <exception cref="ArgumentException">The URI is not an HTTP URI, or has a query or a fragment.</exception>
    public static CoapRouteHandlerBuilder AnnounceHttpProxy(this CoapRouteHandlerBuilder route, string proxy, string? template = null)
    {
        ArgumentNullException.ThrowIfNull(route);
        ArgumentNullException.ThrowIfNull(proxy);
        if (!Uri.TryCreate(proxy, UriKind.Absolute, out Uri? uri) || uri.Scheme is not ("http" or "https")
            || uri.Query.Length > 0 || uri.Fragment.Length > 0)
        {
            throw new ArgumentException($"'{proxy}' is not the URI of a proxy. Use an absolute HTTP URI without query and fragment, such "
                + "as https://p.example.com/hc/.", nameof(proxy));
        }

        List<CoapLinkAttribute> attributes =
        [
            new("anchor", uri.GetLeftPart(UriPartial.Authority)),
            new("rt", "core.hc"),
        ];
        if (template is not null)
        {
            attributes.Add(new CoapLinkAttribute("hct", template));
        }

        return route.WithLink(new CoapLink(uri.AbsolutePath, [.. attributes]));
    }
}
