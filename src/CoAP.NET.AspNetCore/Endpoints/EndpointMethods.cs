using CoAP.NET.Http;
using Microsoft.AspNetCore.Routing;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Maps the methods of an endpoint between CoAP and HTTP.</summary>
internal static class EndpointMethods
{
    /// <summary>Returns the methods; for an endpoint without methods, all that have an HTTP name.</summary>
    public static Dictionary<CoapMethod, string> Of(RouteEndpoint endpoint, CoapHttpCodes codes)
    {
        IReadOnlyList<string> named = endpoint.Metadata.GetMetadata<IHttpMethodMetadata>()?.HttpMethods ?? [];
        Dictionary<CoapMethod, string> methods = [];
        foreach (string name in named)
        {
            if (codes.CoapMethods.TryGetValue(name, out CoapMethod method))
            {
                methods.TryAdd(method, name);
            }
        }

        // PATCH of HTTP also maps to iPATCH.
        foreach ((CoapMethod method, string name) in codes.HttpMethods)
        {
            if (named.Count == 0 || named.Contains(name, StringComparer.OrdinalIgnoreCase))
            {
                methods.TryAdd(method, name);
            }
        }

        return methods;
    }
}
