using System.Net.Security;
using CoAP.NET;
using CoAP.NET.AspNetCore;
using CoAP.NET.AspNetCore.Kestrel;
using CoAP.NET.Cryptography;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Serves CoAP over TCP and TLS on Kestrel sockets (RFC 8323 section 3).</summary>
public static class CoapListenOptionsExtensions
{
    /// <summary>
    /// Passes connections to the <see cref="CoapServer"/> of the container: <c>coap+tcp</c>, or <c>coaps+tcp</c> after
    /// <see cref="UseCoapTls"/>.
    /// </summary>
    /// <param name="listen">The socket.</param>
    /// <returns>The same options.</returns>
    public static ListenOptions UseCoap(this ListenOptions listen)
    {
        ArgumentNullException.ThrowIfNull(listen);

        // Resolved with the first connection: Kestrel may be configured before the server.
        return Use(listen, new ConnectionServerResolver(services: null));
    }

    /// <summary>Passes connections to a server.</summary>
    /// <remarks>
    /// The first connection starts the server, unless it is already started. It binds no address of its own unless it is configured to
    /// listen.
    /// </remarks>
    /// <param name="listen">The socket.</param>
    /// <param name="server">The server.</param>
    /// <returns>The same options.</returns>
    public static ListenOptions UseCoap(this ListenOptions listen, CoapServer server)
    {
        ArgumentNullException.ThrowIfNull(listen);
        ArgumentNullException.ThrowIfNull(server);
        return Use(listen, new ConnectionServerResolver(server, listen.ApplicationServices));
    }

    /// <summary>Passes connections to an endpoint. The first connection starts it, unless it is already started.</summary>
    /// <param name="listen">The socket.</param>
    /// <param name="endpoint">The endpoint.</param>
    /// <returns>The same options.</returns>
    public static ListenOptions UseCoap(this ListenOptions listen, CoapEndpoint endpoint)
    {
        ArgumentNullException.ThrowIfNull(listen);
        ArgumentNullException.ThrowIfNull(endpoint);
        return Use(listen, new ConnectionServerResolver(endpoint, listen.ApplicationServices));
    }

    /// <summary>
    /// Adds TLS according to RFC 8323 section 8.2, with the application protocol <c>coap</c>. Call it before
    /// <see cref="UseCoap(ListenOptions)"/>.
    /// </summary>
    /// <remarks>
    /// Kestrel's own <c>UseHttps</c> offers HTTP protocols only, so CoAP clients would have no protocol in common with it.
    /// </remarks>
    /// <param name="listen">The socket.</param>
    /// <param name="tls">The certificate and the client authentication; copied with the first connection.</param>
    /// <returns>The same options.</returns>
    /// <exception cref="PlatformNotSupportedException">On Linux: there is no OpenSSL.</exception>
    public static ListenOptions UseCoapTls(this ListenOptions listen, SslServerAuthenticationOptions tls)
    {
        ArgumentNullException.ThrowIfNull(listen);
        ArgumentNullException.ThrowIfNull(tls);
        PlatformCryptographyAvailability.ThrowIfMissing("coaps+tcp");
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

    private static ListenOptions Use(ListenOptions listen, ConnectionServerResolver server)
    {
        IServiceProvider services = listen.ApplicationServices;
        CoapConnectionHandler? handler = null;
        listen.Run(connection => (handler ??= new CoapConnectionHandler(
            server, services, services.GetService<IHostApplicationLifetime>()?.ApplicationStopping ?? CancellationToken.None))
            .OnConnectedAsync(connection));
        return listen;
    }
}
