using CoAP.NET.Options;

namespace CoAP.NET.Resources;

/// <summary>What serves requests that ask for a proxy (RFC 7252 section 5.10.2): a route without a path.</summary>
/// <param name="Route">The handler, and what was said of it.</param>
/// <param name="Names">What this server itself is called.</param>
internal sealed record ProxyRoute(Route Route, CoapProxyNames Names)
{
    /// <summary>By what notices of changes know the resource of a request: its path, or the URI that a proxy is asked for.</summary>
    /// <param name="request">The request.</param>
    public static string PathOf(CoapRequest request)
    {
        CoapOptionCollection options = RouteTable.OptionsOf(request);
        return RequestRules.AsksForProxy(options) && request.Channel is { } channel
            ? CoapUri.ComposeRequestUri(request.Message, channel.Transport.Scheme, channel.Local)
            : RouteTable.PathOf(options);
    }
}
