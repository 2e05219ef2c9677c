using CoAP.NET.Proxy;

namespace CoAP.NET.Http;

/// <summary>HTTP servers behind CoAP proxies, asked by clients of <see cref="IHttpClientFactory"/>.</summary>
public static class CoapHttpClientFactoryExtensions
{
    /// <summary>The name of the client that is asked for: <c>coap-proxy</c>.</summary>
    public const string ClientName = "coap-proxy";

    /// <summary>
    /// Lets a proxy ask HTTP servers, those of configured targets by the client <see cref="ClientName"/> of a factory, with the handlers
    /// that the application gave it. It should not follow redirects by itself. See
    /// <see cref="CoapHttpBackend.UseHttp(CoapProxy, Action{CoapHttpBackendOptions})"/>.
    /// </summary>
    /// <param name="proxy">The proxy.</param>
    /// <param name="factory">The factory; asked for each request.</param>
    /// <param name="configure">The identity of devices, the tables, another client; null for nothing.</param>
    /// <returns>The proxy.</returns>
    /// <exception cref="ArgumentException">There is an identity, and no key of 32 bytes or more to sign it.</exception>
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
