using CoAP.NET.Messages;
using CoAP.NET.Options;

namespace CoAP.NET.Protection;

/// <summary>Whose keys protect a request: those of the server that it is for in the end, whichever proxy it is sent to.</summary>
internal static class ProxiedTarget
{
    /// <summary>The URI of the server.</summary>
    /// <param name="target">Where the request is sent to; null for a peer without a URI.</param>
    /// <param name="message">The request.</param>
    /// <returns>That of Proxy-Uri or Proxy-Scheme, or the given one; null when it is none of CoAP.</returns>
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
