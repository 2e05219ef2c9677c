namespace CoAP.NET.Http;

/// <summary>Tells CoAP clients where an HTTP proxy for CoAP is (RFC 8075 section 5.5).</summary>
public static class CoapHttpProxyLink
{
    /// <summary>
    /// Lists a proxy between HTTP and CoAP in <c>/.well-known/core</c> of a CoAP server, beside a route: a link of the type
    /// <c>core.hc</c> whose anchor is the origin of the proxy, such as
    /// <c>&lt;/hc/&gt;;anchor="https://p.example.com";rt="core.hc";hct="{+tu}"</c>.
    /// </summary>
    /// <param name="route">The route that the link is listed beside; it has to be one that is listed.</param>
    /// <param name="proxy">The absolute URI of the proxy, such as <c>https://p.example.com/hc/</c>.</param>
    /// <param name="template">Where the target stands behind it (RFC 8075 section 5.4), such as <c>?target_uri={+tu}</c>. Null: all of it,
    /// as in <c>https://p.example.com/hc/coap://s.example.com/light</c>.</param>
    /// <returns>The route.</returns>
    /// <exception cref="ArgumentException">The URI is none of HTTP, or has a query or a fragment.</exception>
    public static CoapRouteHandlerBuilder AnnounceHttpProxy(this CoapRouteHandlerBuilder route, string proxy, string? template = null)
    {
        ArgumentNullException.ThrowIfNull(route);
        ArgumentNullException.ThrowIfNull(proxy);
        if (!Uri.TryCreate(proxy, UriKind.Absolute, out Uri? uri) || uri.Scheme is not ("http" or "https")
            || uri.Query.Length > 0 || uri.Fragment.Length > 0)
        {
            throw new ArgumentException($"'{proxy}' is no URI of a proxy, such as https://p.example.com/hc/.", nameof(proxy));
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
