using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore;

/// <summary>Checks whether a request comes from a page of this server (RFC 6454 section 7).</summary>
internal static class OriginHeaderCheck
{
    /// <summary>
    /// Whether an Origin is that of the server: the same scheme, host and port. Behind a proxy that ends TLS, the application learns the
    /// scheme from the middleware for forwarded headers.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="origin">The value of its Origin header field.</param>
    public static bool IsOwn(HttpRequest request, string origin) =>
        request.Host.HasValue && origin.Equals($"{request.Scheme}://{HostOf(request)}", StringComparison.OrdinalIgnoreCase);

    // An Origin omits the default port of its scheme; Host may contain it.
    private static string HostOf(HttpRequest request)
    {
        string host = request.Host.ToUriComponent();
        int standard = request.IsHttps ? 443 : 80;
        return request.Host.Port == standard ? host[..host.LastIndexOf(':')] : host;
    }
}
