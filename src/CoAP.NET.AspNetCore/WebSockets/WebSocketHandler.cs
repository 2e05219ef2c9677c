using System.Net;
using System.Net.WebSockets;
using CoAP.NET.Transports.WebSockets;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace CoAP.NET.AspNetCore.WebSockets;

/// <summary>
/// Handles a path of CoAP over WebSockets: after the handshake of RFC 8323 section 4.1 it passes the WebSocket to the endpoint.
/// </summary>
internal sealed class WebSocketHandler(ConnectionServerResolver server, CoapWebSocketEndpointOptions options, CancellationToken stopping)
{
    public async Task HandleAsync(HttpContext context)
    {
        if (!context.WebSockets.IsWebSocketRequest)
        {
            // RFC 9110 section 15.5.22: the required protocol.
            context.Response.Headers.Upgrade = "websocket";
            await RefuseAsync(context, StatusCodes.Status426UpgradeRequired, "CoAP over WebSockets is served here (RFC 8323 section 4).")
                .ConfigureAwait(false);
            return;
        }

        if (!context.WebSockets.WebSocketRequestedProtocols.Contains(CoapWebSocketTransport.SubProtocol, StringComparer.Ordinal))
        {
            await RefuseAsync(context, StatusCodes.Status400BadRequest, "Offer the sub-protocol coap (RFC 8323 section 4.1).")
                .ConfigureAwait(false);
            return;
        }

        if (context.Request.Headers.Origin is [{ Length: > 0 } origin, ..] && !MayOpen(context, origin))
        {
            await RefuseAsync(context, StatusCodes.Status403Forbidden,
                $"WebSockets from pages of that origin are not allowed here. For a page of this server: {HostHeaderCheck.Remedy}")
                .ConfigureAwait(false);
            return;
        }

        CoapEndpoint endpoint;
        try
        {
            endpoint = await server.GetAsync(context.RequestServices).ConfigureAwait(false);
        }
        catch (InvalidOperationException) when (server.IsKnown)
        {
            await RefuseAsync(context, StatusCodes.Status503ServiceUnavailable, "The CoAP server was stopped.").ConfigureAwait(false);
            return;
        }

        // RFC 8323 section 4.4: CoAP's own Ping checks whether the peer is alive.
        using WebSocket webSocket = await context.WebSockets
            .AcceptWebSocketAsync(
                new WebSocketAcceptContext { SubProtocol = CoapWebSocketTransport.SubProtocol, KeepAliveInterval = TimeSpan.Zero })
            .ConfigureAwait(false);
        try
        {
            await endpoint.AcceptWebSocketAsync(webSocket, Describe(context), stopping).ConfigureAwait(false);
        }
        catch (CoapException)
        {
            // The endpoint refused, closed and counted the connection.
        }
    }

    private bool MayOpen(HttpContext context, string origin) =>
        options.IsOriginAllowed is { } decide ? decide(context, origin)
        : options.AllowedOrigins.Contains("*") || options.AllowedOrigins.Contains(origin)
            || (OriginHeaderCheck.IsOwn(context.Request, origin)
                && HostHeaderCheck.AreAllowed(context, options.AllowedHosts, isAnonymous: false));

    private CoapAcceptedConnectionInfo Describe(HttpContext context)
    {
        ConnectionInfo connection = context.Connection;
        bool isSecure = options.IsSecure?.Invoke(context) ?? context.Request.IsHttps;
        return new CoapAcceptedConnectionInfo
        {
            Remote = HttpContextPeerIdentity.EndPointOf(connection.RemoteIpAddress, connection.RemotePort),
            Local = HttpContextPeerIdentity.EndPointOf(connection.LocalIpAddress, connection.LocalPort),
            IsSecure = isSecure,
            Identity = options.Identity is { } identify ? identify(context) : HttpContextPeerIdentity.Of(context, isSecure),
            ServerName = context.Request.Host.Host,
            Abort = context.Abort,
        };
    }

    private static Task RefuseAsync(HttpContext context, int status, string reason)
    {
        context.Response.StatusCode = status;
        context.Response.Headers[HeaderNames.CacheControl] = "no-store";
        context.Response.ContentType = "text/plain";
        return context.Response.WriteAsync(reason, context.RequestAborted);
    }
}
