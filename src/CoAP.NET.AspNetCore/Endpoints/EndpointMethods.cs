using CoAP.NET.Http;
using Microsoft.AspNetCore.Routing;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Which methods of CoAP an endpoint serves, and what HTTP calls them.</summary>
internal static class EndpointMethods
{
    /// <summary>The methods; of an endpoint that names none all that HTTP has a name for.</summary>
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

        // PATCH of HTTP is iPATCH too.
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
