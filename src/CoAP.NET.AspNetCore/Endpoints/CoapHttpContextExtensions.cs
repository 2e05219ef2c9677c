using CoAP.NET;
using CoAP.NET.AspNetCore.Endpoints;

namespace Microsoft.AspNetCore.Http;

/// <summary>Extensions for handlers of endpoints that are served over HTTP and CoAP.</summary>
public static class CoapHttpContextExtensions
{
    /// <summary>Returns the CoAP request of a handler.</summary>
    /// <param name="context">The context of the handler.</param>
    /// <returns>The request; null for an HTTP request.</returns>
    public static CoapRequestContext? GetCoapRequest(this HttpContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        return context.Features.Get<CoapRequestFeature>()?.Request;
    }
}
