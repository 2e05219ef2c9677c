namespace CoAP.NET.Oscore.Stage;

/// <summary>Finds the server whose keys protect a request, whichever proxy the request is sent to.</summary>
internal static class OriginServerResolver
{
    /// <summary>Returns the URI of the server.</summary>
    /// <param name="target">The destination of the request; null for a peer without a URI.</param>
    /// <param name="message">The request.</param>
    /// <returns>The URI from Proxy-Uri or Proxy-Scheme, or the given one; null when it is not a CoAP URI.</returns>
    public static CoapUri? Of(CoapUri? target, CoapMessage message)
    {
        if (!message.HasOptions)
        {
            return target;
        }

        CoapOptionCollection options = message.Options;
        if (options.ProxyUri is { } text)
        {
            return CoapUri.TryParse(text, out CoapUri? uri) ? uri : null;
        }

        if (!options.Contains(OptionNumber.ProxyScheme))
        {
            return target;
        }

        string host = options.UriHost ?? target?.Host ?? string.Empty;
        host = host.Contains(':', StringComparison.Ordinal) && !host.StartsWith('[') ? $"[{host}]" : host;
        string port = (options.UriPort ?? target?.Port) is { } given ? $":{given}" : "";
        return CoapUri.TryParse($"{options.ProxyScheme}://{host}{port}", out CoapUri? split) ? split : null;
    }
}
