using CoAP.NET;
using CoAP.NET.AspNetCore.Endpoints;

namespace Microsoft.AspNetCore.Http;

/// <summary>What handlers of endpoints that are served over two protocols may want to know.</summary>
public static class CoapHttpContextExtensions
{
    /// <summary>The CoAP request that a handler is called for.</summary>
    /// <param name="context">The context of the handler.</param>
    /// <returns>The request; null when it came by HTTP.</returns>
    public static CoapRequest? GetCoapRequest(this HttpContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        return context.Features.Get<CoapRequestFeature>()?.Request;
    }
}
