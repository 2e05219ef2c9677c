using System.Net;
using System.Text;
using CoAP.NET.Options;
using CoAP.NET.Requests;

namespace CoAP.NET;

/// <summary>Requests that go to a forward proxy, which asks their target for the client (RFC 7252 section 5.7.2).</summary>
public static class CoapProxyRequests
{
    // RFC 7252 section 5.10.2.
    private const int MaxProxyUri = 1034;

    private static readonly int[] s_uriOptions =
        [OptionNumber.UriHost, OptionNumber.UriPort, OptionNumber.UriPath, OptionNumber.UriQuery];

    /// <summary>
    /// A copy of a request that goes to a proxy and names its target there. To have all requests of a client do so set
    /// <see cref="CoapClient.Proxy"/>.
    /// </summary>
    /// <param name="request">The request, made with the URI of its target: an absolute one of CoAP, or of another scheme that the proxy
    /// knows, such as <c>http</c>.</param>
    /// <param name="proxy">The proxy: scheme, host and port, without a path and a query.</param>
    /// <param name="form">By which options the target is named.</param>
    /// <returns>The copy. What is changed of one is not changed of the other.</returns>
    /// <exception cref="ArgumentException">
    /// The URI of the request is none, is missing or has a fragment; the request asks a proxy already; the proxy has a path or a query. Or
    /// the target has a secured scheme (<c>coaps</c>, <c>https</c>) and the proxy a plain one, and is not on this machine: what was to be
    /// secret would go to it in the clear (RFC 7252 section 5.7). Whoever wants that adds <see cref="ProxyUri"/> himself.
    /// </exception>
    /// <exception cref="InvalidOperationException">The request was received, not made to be sent.</exception>
    public static CoapRequest WithProxy(this CoapRequest request, CoapUri proxy, CoapProxyForm form = CoapProxyForm.Uri)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(proxy);
        Check(proxy);
        if (NamesProxy(request))
        {
            throw new ArgumentException("The request asks a proxy already: it has Proxy-Uri or Proxy-Scheme.", nameof(request));
        }

        string text = request.UriText
            ?? throw new ArgumentException("The request has no URI. Make it with that of its target.", nameof(request));
        ForwardTarget target = ForwardTarget.Read(text, request);
        bool isHere = proxy.HostAddress is { } address && IPAddress.IsLoopback(address);
        if (IsSecured(target.Scheme) && !IsSecured(proxy.Scheme) && !isHere)
        {
            throw new ArgumentException(
                $"{target.Scheme} is a secured scheme, and {proxy} would get the request in the clear (RFC 7252 section 5.7). Give the "
                + "proxy a URI of coaps, coaps+tcp or coaps+ws.", nameof(proxy));
        }

        CoapRequest copy = request.WithUri($"{proxy.Scheme}://{proxy.Authority}");
        foreach (int number in s_uriOptions)
        {
            copy.Options.Remove(number);
        }

        if (form == CoapProxyForm.Uri && Encoding.UTF8.GetByteCount(target.Text) <= MaxProxyUri)
        {
            copy.Options.Add(new ProxyUri(target.Text));
        }
        else
        {
            target.AddTo(copy.Options, proxy);
        }

        return copy;
    }

    /// <summary>Refuses what is no proxy.</summary>
    /// <param name="proxy">The URI.</param>
    /// <exception cref="ArgumentException">It has a path or a query.</exception>
    internal static void Check(CoapUri proxy)
    {
        if (proxy.PathSegments.Count > 0 || proxy.QueryArguments.Count > 0)
        {
            throw new ArgumentException(
                $"{proxy} is a resource, and a proxy is a host. Leave out path and query: {proxy.Scheme}://{proxy.Authority}.",
                nameof(proxy));
        }
    }

    /// <summary>Whether a request says itself which proxy it asks.</summary>
    /// <param name="request">The request.</param>
    internal static bool NamesProxy(CoapRequest request) =>
        request.Message.HasOptions
        && (request.Options.Contains(OptionNumber.ProxyUri) || request.Options.Contains(OptionNumber.ProxyScheme));

    private static bool IsSecured(string scheme) => scheme.StartsWith("coaps", StringComparison.Ordinal) || scheme == "https";
}
