using System.Net;

namespace CoAP.NET.Composition;

/// <summary>Parses and checks the addresses to listen on.</summary>
internal static class ListenUriParser
{
    /// <summary>Parses an address to listen on.</summary>
    /// <param name="text">Scheme, host and port.</param>
    /// <param name="factories">The factories of transports for other schemes.</param>
    /// <param name="tls">The settings of TLS; null for none.</param>
    /// <param name="isInBrowser">Whether the endpoint runs in a browser.</param>
    /// <exception cref="ArgumentException">The text is not a URI, or this endpoint cannot listen on it.</exception>
    public static CoapUri Parse(string text, ICoapTransportFactory[] factories, CoapTlsOptions? tls, bool isInBrowser)
    {
        // The asterisk is not a host of a URI; here it means all addresses.
        string normal = text.Replace("://*", "://[::]", StringComparison.Ordinal);
        if (!CoapUri.TryParse(normal, out CoapUri? uri, out string? error))
        {
            throw new ArgumentException(error);
        }

        if (isInBrowser)
        {
            throw new ArgumentException(
                $"'{text}': a page in a browser cannot listen. Its CoapServer serves the server to which the page opened a WebSocket: send "
                    + "a request or a ping to open one.");
        }

        if (Array.Find(factories, other => other.Scheme == uri.Scheme) is { } factory)
        {
            factory.ThrowIfCannotListen();
        }
        else if (uri.Scheme is not ("coap" or "coap+tcp" or "coaps+tcp"))
        {
            throw new ArgumentException(uri.Scheme is "coap+ws" or "coaps+ws"
                ? $"'{text}': a web server accepts WebSockets, and hands them over: see MapCoapWebSocket of CoAP.NET.AspNetCore, or "
                    + "AcceptWebSocketAsync."
                : $"Cannot listen on '{text}'. {MissingTransportMessage.DescribeListening(uri.Scheme)}");
        }

        if (uri.Scheme == "coaps+tcp" && tls is not { HasServer: true })
        {
            throw new ArgumentException(
                $"'{text}': a TLS server needs a certificate. Set CoapEndpointOptions.Tls with Server (or SelectServer) before the "
                    + "endpoint is made.");
        }

        if (uri.PathSegments.Count > 0 || uri.QueryArguments.Count > 0)
        {
            throw new ArgumentException($"'{text}': an address to listen on has no path and no query.");
        }

        return uri.HostAddress is { } address && CoapAddress.FromIPEndPoint(new IPEndPoint(address, uri.Port)).IsMulticast
            ? throw new ArgumentException(uri.Scheme == "coap"
                ? $"'{text}': an endpoint joins a group and does not listen on it: listen on coap://[::] and call JoinGroups."
                : $"'{text}': there are no groups on {uri.Scheme} (RFC 8323 section 8). Listen on an address of this machine, or on * for "
                    + "all.")
            : uri;
    }
}
