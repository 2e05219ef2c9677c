using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>Handles a path that serves a resource of a CoAP server.</summary>
/// <param name="exchanges">Answers the requests.</param>
/// <param name="places">The places for requests.</param>
/// <param name="find">Finds the resource for a request; null for none.</param>
internal sealed class ProxiedResourceEndpoint(HttpToCoapResponder exchanges, HttpRequestLimiter places, Func<HttpContext, CoapUri?> find)
{
    public Task HandleAsync(HttpContext context) => places.RunAsync(context, AnswerAsync);

    private Task AnswerAsync(HttpContext context, CoapQuotaSource source) =>
        find(context) is { } target
            ? exchanges.AnswerAsync(context, source, target, hopLimit: null, created => Relocate(context, target, created))
            : ProxyResponseWriter.RefuseAsync(context, StatusCodes.Status404NotFound, "There is no resource at this path.");

    // Resources below the CoAP resource are below the path; others have no known path.
    private static string? Relocate(HttpContext context, CoapUri target, CoapUri created)
    {
        string from = WithoutQuery(target);
        string to = created.ToString();
        if (to == from || !to.StartsWith(from, StringComparison.Ordinal) || !(from.EndsWith('/') || to[from.Length] is '/' or '?'))
        {
            return null;
        }

        string path = context.Request.PathBase.Add(context.Request.Path).ToUriComponent();
        return path.TrimEnd('/') + (from.EndsWith('/') ? "/" : string.Empty) + to[from.Length..];
    }

    private static string WithoutQuery(CoapUri uri) =>
        uri.ToString() is var text && text.IndexOf('?', StringComparison.Ordinal) is >= 0 and var at ? text[..at] : text;
}
