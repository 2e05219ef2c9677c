using System.Security.Cryptography;
using System.Text;
using CoAP.NET.AspNetCore;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.Explorer.Pages;

/// <summary>
/// Restricts the calls of a page to the page itself. Another site cannot send the header (its browser asks first, and is refused), is
/// detected by Origin and Sec-Fetch-Site, and cannot reach the page by a name of its own (DNS rebinding).
/// </summary>
/// <param name="token">The required value of the header; null if its presence suffices because the application authorizes users.</param>
/// <param name="hosts">The allowed host names of the server, without port; empty for those that no other site can have.</param>
/// <param name="isAnonymous">Whether the page works without authorization.</param>
internal sealed class PageGuard(string? token, ICollection<string> hosts, bool isAnonymous)
{
    public const string Header = "X-CoAP-Explorer";

    private readonly byte[]? _token = token is null ? null : Encoding.UTF8.GetBytes(token);

    /// <summary>
    /// Refuses calls that are not allowed, and marks all responses as data of the declared type: they quote what peers sent. A filter for
    /// all routes of a page.
    /// </summary>
    public async ValueTask<object?> CheckAsync(EndpointFilterInvocationContext context, EndpointFilterDelegate next)
    {
        HttpRequest request = context.HttpContext.Request;
        context.HttpContext.Response.Headers.XContentTypeOptions = "nosniff";
        return Refuse(request) is { } refusal
            ? Results.Json(refusal, PageJson.Default.PageProblem, statusCode: StatusCodes.Status403Forbidden)
            : await next(context).ConfigureAwait(false);
    }

    private PageProblem? Refuse(HttpRequest request)
    {
        if (!HostHeaderCheck.AreAllowed(request.HttpContext, hosts, isAnonymous))
        {
            return new PageProblem("Not by this name", $"This page is not served under the name '{Shown(request.Host.Host)}'.",
                _token is null ? HostHeaderCheck.Remedy : "Open the address that was printed when it started.");
        }

        if (HttpMethods.IsGet(request.Method))
        {
            return null;
        }

        string origin = request.Headers.Origin.ToString();
        string site = request.Headers["Sec-Fetch-Site"].ToString();
        if ((origin.Length > 0 && !OriginHeaderCheck.IsOwn(request, origin))
            || (site.Length > 0 && site is not ("same-origin" or "none")))
        {
            return new PageProblem(
                "Another site", "The request comes from a page of another site.",
                "Only the page itself may call its server. Behind a proxy that ends TLS, the application must call UseForwardedHeaders.");
        }

        byte[] given = Encoding.UTF8.GetBytes(request.Headers[Header].ToString());
        bool isGiven = _token is null ? given.Length > 0 : CryptographicOperations.FixedTimeEquals(given, _token);
        return isGiven
            ? null
            : new PageProblem("No token", $"The request lacks the right {Header} header.",
                _token is null ? $"Send {Header}: 1." : "Open the address that was printed when the explorer started. It has the token.");
    }

    private static string Shown(string text) => text.Length <= 100 ? text : text[..100] + "...";
}
