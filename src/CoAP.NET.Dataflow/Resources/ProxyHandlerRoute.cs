namespace CoAP.NET.Resources;

/// <summary>The route of proxy requests (RFC 7252 section 5.10.2), which has no path.</summary>
/// <param name="Route">The handler, and its settings.</param>
/// <param name="Names">The names of the server itself.</param>
internal sealed record ProxyHandlerRoute(Route Route, CoapProxyNames Names)
{
    /// <summary>
    /// Returns the name of the resource of a request in change notices: its path, or the URI that it requests from a proxy.
    /// </summary>
    public static string PathOf(CoapRequestContext request)
    {
        CoapOptionCollection options = RouteTable.OptionsOf(request);
        return OptionRules.IsProxyRequest(options)
            ? CoapUri.ComposeRequestUri(request.Message, request.Channel.Transport.Scheme, request.Channel.Local)
            : RouteTable.PathOf(options);
    }
}
