namespace CoAP.NET.Oscore.Protection;

/// <summary>
/// Splits the Proxy-Uri of a request: the server gets path and query, encrypted, and the proxy gets scheme, host and port (RFC 8613 section
/// 4.1.3.3).
/// </summary>
internal static class OscoreProxyUri
{
    /// <summary>Splits the Proxy-Uri.</summary>
    /// <param name="request">The request; not modified.</param>
    /// <returns>A request with path and query as options; the given one if it has no valid Proxy-Uri.</returns>
    public static CoapMessage Split(CoapMessage request)
    {
        if (!request.HasOptions || request.Options.ProxyUri is not { } text || !CoapUri.TryParse(text, out CoapUri? uri, out _))
        {
            return request;
        }

        CoapMessage split = request.Clone();
        split.Options.Remove(OptionNumber.ProxyUri);
        string host = uri.Host.Contains(':', StringComparison.Ordinal) && !uri.Host.StartsWith('[') ? $"[{uri.Host}]" : uri.Host;
        split.Options.Add(new ProxyUriOption($"{uri.Scheme}://{host}:{uri.Port}"));
        foreach (string segment in uri.PathSegments)
        {
            split.Options.Add(new UriPathOption(segment));
        }

        foreach (string argument in uri.QueryArguments)
        {
            split.Options.Add(new UriQueryOption(argument));
        }

        return split;
    }
}
