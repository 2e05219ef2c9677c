namespace CoAP.NET.Cli.Proxying;

internal static class ProxyRequestFactory
{
    /// <summary>Creates the request to a proxy.</summary>
    /// <param name="request">The request, to its target.</param>
    /// <param name="proxy">The proxy; null for none.</param>
    /// <returns>The request to the proxy; the same one without a proxy.</returns>
    /// <exception cref="UsageException">The proxy does not support the target.</exception>
    public static CoapRequest Ask(CoapRequest request, CoapUri? proxy)
    {
        try
        {
            return proxy is null ? request : request.WithProxy(proxy);
        }
        catch (ArgumentException exception)
        {
            string message = exception.ParamName is null
                ? exception.Message
                : exception.Message[..exception.Message.LastIndexOf(" (Parameter", StringComparison.Ordinal)];
            throw new UsageException(message);
        }
    }
}
