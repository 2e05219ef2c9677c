using System.Net.Security;
using CoAP.NET;
using CoAP.NET.AspNetCore;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Serves CoAP over TCP and TLS on sockets of Kestrel (RFC 8323 section 3).</summary>
public static class CoapListenOptionsExtensions
{
    /// <summary>
    /// Gives connections to the <see cref="CoapServer"/> of the container: <c>coap+tcp</c>, or <c>coaps+tcp</c> where
    /// <see cref="UseCoapTls"/> stands before it.
    /// </summary>
    /// <param name="listen">The socket.</param>
    /// <returns>The same.</returns>
    public static ListenOptions UseCoap(this ListenOptions listen)
    {
        ArgumentNullException.ThrowIfNull(listen);

        // The container is asked when the first connection comes: Kestrel may be configured before the server is.
        return Use(listen, new ServerSource(services: null));
    }

    /// <summary>
    /// Gives connections to a server. It is started with the first connection, if it was not before; it binds no address of its own unless
    /// it was told to listen.
    /// </summary>
    /// <param name="listen">The socket.</param>
    /// <param name="server">The server.</param>
    /// <returns>The same.</returns>
    public static ListenOptions UseCoap(this ListenOptions listen, CoapServer server)
    {
        ArgumentNullException.ThrowIfNull(listen);
        ArgumentNullException.ThrowIfNull(server);
        return Use(listen, new ServerSource(server, listen.ApplicationServices));
    }

    /// <summary>Gives connections to an endpoint. It is started with the first connection, if it was not before.</summary>
    /// <param name="listen">The socket.</param>
    /// <param name="endpoint">The endpoint.</param>
    /// <returns>The same.</returns>
    public static ListenOptions UseCoap(this ListenOptions listen, CoapEndpoint endpoint)
    {
        ArgumentNullException.ThrowIfNull(listen);
        ArgumentNullException.ThrowIfNull(endpoint);
        return Use(listen, new ServerSource(endpoint, listen.ApplicationServices));
    }

    /// <summary>
    /// TLS as RFC 8323 section 8.2 wants it, with the application protocol <c>coap</c>; to be called before
    /// <see cref="UseCoap(ListenOptions)"/>. Kestrel's own <c>UseHttps</c> offers protocols of HTTP only, so that clients would find none
    /// in common.
    /// </summary>
    /// <param name="listen">The socket.</param>
    /// <param name="tls">The certificate and whom to let in; copied when the first connection comes.</param>
    /// <returns>The same.</returns>
    public static ListenOptions UseCoapTls(this ListenOptions listen, SslServerAuthenticationOptions tls)
    {
        ArgumentNullException.ThrowIfNull(listen);
        ArgumentNullException.ThrowIfNull(tls);
        SslApplicationProtocol coap = new("coap");
        if (tls.ApplicationProtocols is null or [])
        {
            tls.ApplicationProtocols = [coap];
        }
        else if (!tls.ApplicationProtocols.Contains(coap))
        {
            tls.ApplicationProtocols.Add(coap);
        }

        return listen.UseHttps(new TlsHandshakeCallbackOptions { OnConnection = _ => new ValueTask<SslServerAuthenticationOptions>(tls) });
    }

    private static ListenOptions Use(ListenOptions listen, ServerSource server)
    {
        IServiceProvider services = listen.ApplicationServices;
        CoapConnectionHandler? handler = null;
        listen.Run(connection => (handler ??= new CoapConnectionHandler(
            server, services, services.GetService<IHostApplicationLifetime>()?.ApplicationStopping ?? CancellationToken.None))
            .OnConnectedAsync(connection));
        return listen;
    }
}
