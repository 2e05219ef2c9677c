using System.Net;
using System.Text;
using CoAP.NET.Options;
using CoAP.NET.Requests;

namespace CoAP.NET;

/// <summary>Extension methods for requests through a forward proxy (RFC 7252 section 5.7.2).</summary>
public static class CoapProxyRequests
{
    // RFC 7252 section 5.10.2.
    private const int MaxProxyUri = 1034;

    /// <summary>The options that name a resource of CoAP.</summary>
    internal static ReadOnlySpan<int> UriOptions =>
        [OptionNumber.UriHost, OptionNumber.UriPort, OptionNumber.UriPath, OptionNumber.UriQuery];

    /// <summary>Copies a request so that it goes to a proxy and names its target there.</summary>
    /// <remarks>To send all requests of a client through a proxy, set <see cref="CoapClient.Proxy"/>.</remarks>
    /// <param name="request">The request with the URI of its target: an absolute CoAP URI, or one of another scheme that the proxy knows,
    /// such as <c>http</c>.</param>
    /// <param name="proxy">The proxy: scheme, host and port, without path and query.</param>
    /// <param name="form">The options that name the target.</param>
    /// <returns>The copy. Changes of one do not affect the other.</returns>
    /// <exception cref="ArgumentException">
    /// The URI of the request is invalid, missing or has a fragment; the request already names a proxy; the proxy has a path or a query. Or
    /// the target has a secured scheme (<c>coaps</c>, <c>https</c>) and the proxy a plain one, and is not on this machine: the request
    /// would reach the proxy unprotected (RFC 7252 section 5.7). To do that on purpose, add <see cref="ProxyUri"/> to the options.
    /// </exception>
    /// <exception cref="InvalidOperationException">The request was received.</exception>
    public static CoapRequest WithProxy(this CoapRequest request, CoapUri proxy, CoapProxyForm form = CoapProxyForm.Uri)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(proxy);
        Check(proxy);
        if (NamesProxy(request))
        {
            throw new ArgumentException("The request already names a proxy: remove Proxy-Uri or Proxy-Scheme.", nameof(request));
        }

        string text = request.UriText
            ?? throw new ArgumentException("The request has no URI. Create it with the URI of its target.", nameof(request));
        ForwardTarget target = ForwardTarget.Read(text, request);
        bool isHere = proxy.HostAddress is { } address && IPAddress.IsLoopback(address);
        if (IsSecured(target.Scheme) && !IsSecured(proxy.Scheme) && !isHere)
        {
            throw new ArgumentException(
                $"{target.Scheme} is a secured scheme, and {proxy} would receive the request unprotected (RFC 7252 section 5.7). Give the "
                + "proxy a URI of coaps, coaps+tcp or coaps+ws.", nameof(proxy));
        }

        CoapRequest copy = request.WithUri($"{proxy.Scheme}://{proxy.Authority}");
        foreach (int number in UriOptions)
        {
            copy.Options.Remove(number);
        }

        if (form == CoapProxyForm.Uri && Encoding.UTF8.GetByteCount(target.Text) <= MaxProxyUri)
        {
            copy.Options.Add(new ProxyUri(target.Text));
        }
        else
        {
            target.AddTo(copy.Options, proxy.Port);
        }

        return copy;
    }

    /// <summary>Throws if a URI does not name a proxy.</summary>
    /// <param name="proxy">The URI.</param>
    /// <exception cref="ArgumentException">The URI has a path or a query.</exception>
    internal static void Check(CoapUri proxy)
    {
        if (proxy.PathSegments.Count > 0 || proxy.QueryArguments.Count > 0)
        {
            throw new ArgumentException(
                $"{proxy} names a resource, and a proxy is a host. Leave out path and query: {proxy.Scheme}://{proxy.Authority}.",
                nameof(proxy));
        }
    }

    /// <summary>Returns whether the options of a request name a proxy.</summary>
    /// <param name="request">The request.</param>
    internal static bool NamesProxy(CoapRequest request) =>
        request.Message.HasOptions
        && (request.Options.Contains(OptionNumber.ProxyUri) || request.Options.Contains(OptionNumber.ProxyScheme));

    private static bool IsSecured(string scheme) => scheme.StartsWith("coaps", StringComparison.Ordinal) || scheme == "https";
}
