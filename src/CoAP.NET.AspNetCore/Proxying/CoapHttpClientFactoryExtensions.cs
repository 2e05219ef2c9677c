using CoAP.NET.Proxy;

namespace CoAP.NET.Http;

/// <summary>Connects CoAP proxies to HTTP servers through clients of <see cref="IHttpClientFactory"/>.</summary>
public static class CoapHttpClientFactoryExtensions
{
    /// <summary>The name of the HTTP client: <c>coap-proxy</c>.</summary>
    public const string ClientName = "coap-proxy";

    /// <summary>
    /// Adds HTTP servers as targets of a proxy; the client <see cref="ClientName"/> of a factory sends the requests to configured targets.
    /// </summary>
    /// <remarks>
    /// The client has the handlers that the application configured. It should not follow redirects itself. See
    /// <see cref="CoapHttpBackend.UseHttp(CoapProxy, Action{CoapHttpBackendOptions})"/>.
    /// </remarks>
    /// <param name="proxy">The proxy.</param>
    /// <param name="factory">The factory; the proxy gets a client from it for each request.</param>
    /// <param name="configure">Configures the identity of devices, the tables, or another client; null for nothing.</param>
    /// <returns>The proxy.</returns>
    /// <exception cref="ArgumentException">An identity is set without a key of at least 32 bytes to sign it.</exception>
    public static CoapProxy UseHttp(this CoapProxy proxy, IHttpClientFactory factory, Action<CoapHttpBackendOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return proxy.UseHttp(options =>
        {
            options.Client = () => factory.CreateClient(ClientName);
            configure?.Invoke(options);
        });
    }
}
