using System.Net;
using System.Text;

namespace CoAP.NET.RequestSteps;

/// <summary>Requests through a forward proxy (RFC 7252 section 5.7.2).</summary>
internal static class ProxiedRequestFactory
{
    // RFC 7252 section 5.10.2.
    private const int MaxProxyUri = 1034;

    /// <summary>The options that name a resource of CoAP.</summary>
    internal static ReadOnlySpan<int> UriOptions =>
        [OptionNumber.UriHost, OptionNumber.UriPort, OptionNumber.UriPath, OptionNumber.UriQuery];

    /// <summary>Copies a request so that it goes to a proxy and names its target there.</summary>
    public static CoapRequest WithProxy(CoapRequest request, CoapUri proxy, bool proxyScheme = false)
    {
        Check(proxy);
        if (NamesProxy(request))
        {
            throw new ArgumentException("The request already names a proxy: remove Proxy-Uri or Proxy-Scheme.", nameof(request));
        }

        CoapUri uri = request.Uri
            ?? throw new ArgumentException("The request has no URI. Create it with the URI of its target.", nameof(request));
        ProxiedRequestTarget target = ProxiedRequestTarget.Read(uri.ToString(), request);
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

        if (!proxyScheme && Encoding.UTF8.GetByteCount(target.Text) <= MaxProxyUri)
        {
            copy.Options.Add(new ProxyUriOption(target.Text));
        }
        else
        {
            target.AddTo(copy.Options, proxy.Port);
        }

        return copy;
    }

    /// <summary>Throws if a URI does not name a proxy.</summary>
    /// <exception cref="ArgumentException">The URI has a path or a query.</exception>
    internal static void Check(CoapUri proxy)
    {
        CoapUri.RequireCoap(proxy, nameof(proxy));
        if (proxy.PathSegments.Count > 0 || proxy.QueryArguments.Count > 0)
        {
            throw new ArgumentException(
                $"{proxy} names a resource, but a proxy is a host. Leave out path and query: {proxy.Scheme}://{proxy.Authority}.",
                nameof(proxy));
        }
    }

    /// <summary>Whether a request goes through the proxy of its client, if that has one.</summary>
    internal static bool TakesProxy(CoapRequest request) =>
        (request.IgnoredDefaults & CoapClientDefaultKinds.Proxy) == 0 && !NamesProxy(request);

    private static bool NamesProxy(CoapRequest request) =>
        request.Message.HasOptions
        && (request.Options.Contains(OptionNumber.ProxyUri) || request.Options.Contains(OptionNumber.ProxyScheme));

    private static bool IsSecured(string scheme) => scheme.StartsWith("coaps", StringComparison.Ordinal) || scheme == "https";
}
